// Plays OpenCode for its plugin: calls the hooks as that program does, and prints what became of each call, a line of JSON.
// Its arguments are the plugin's file, the project's folder, and what else stands in the program's command line.
import { spawnSync } from 'node:child_process';

const [file, directory] = process.argv.slice(2);
const { Pheromone } = await import(file);
const woken = [];
const session = {
    get: async ({ path }) => ({ data: path.id.startsWith('child') ? { parentID: 'ses_one' } : {} }),
    promptAsync: async (prompt) => void woken.push(prompt),
};
const hooks = await Pheromone({ client: { session }, directory });
const tell = (what, value) => console.log(JSON.stringify({ what, value }));

const guard = async (path) => {
    const input = { tool: 'read', sessionID: 'ses_one', callID: 'c' };
    return hooks['tool.execute.before'](input, { args: { filePath: `${directory}/${path}` } }).then(
        () => 'free',
        (error) => error.message,
    );
};
const prompt = async (id, text) => {
    const message = { id: 'msg_1', agent: 'plan', model: { providerID: 'lab', modelID: 'scripted' } };
    const output = { message, parts: [{ id: 'prt_1', type: 'text', text }] };
    await hooks['chat.message']({ sessionID: id }, output);
    return output.parts;
};
const used = async (output) => {
    await hooks['tool.execute.after']({ tool: 'read', sessionID: 'ses_one', callID: 'c', args: {} }, output);
    return output;
};
const event = (type, properties) => hooks.event({ event: { type, properties } });
const rsm = (...words) => spawnSync('rsm', words, { cwd: directory, encoding: 'utf8' });
const until = async (holds) => {
    for (let tries = 0; tries < 300 && !holds(); tries++) await new Promise((next) => setTimeout(next, 100));
};

tell('locked', await guard('secret/key.txt'));
tell('free', await guard('free.txt'));
await event('session.created', { info: { id: 'ses_one' } });
await event('session.created', { info: { id: 'child_one', parentID: 'ses_one' } });
tell('prompt', await prompt('ses_one', 'begin'));
tell('subagent', await prompt('child_one', 'begin'));
tell('quiet tool', await used({ output: 'plain' }));
const actor = rsm('agents', '--quiet').stdout.trim();
tell('woken by', JSON.parse(rsm('agents', '--json').stdout).items[0].woken_by);
tell('doctor', rsm('doctor', 'wake').stdout);
tell('wake', rsm('wake', actor).status);
if (process.argv.includes('run')) process.exit(0);
rsm('send', '--create', '--to', `worker://${actor}`, '--priority', 'P0', '--topic', 'evil words', 'while it works');
tell('tool', await used({ output: 'plain' }));
rsm('send', '--create', '--to', `worker://${actor}`, '--priority', 'P0', '--topic', 'evil words', 'while it works');
tell('tool of a server', await used({ content: [] }));
const shell = { env: {} };
await hooks['shell.env']({ cwd: directory, sessionID: 'ses_one' }, shell);
tell('shell', shell.env);
await event('session.idle', { sessionID: 'ses_one' });
tell('woken by nothing', woken.length);
rsm('send', '--to', `worker://${actor}`, '--topic', 'evil words', 'while it is idle');
await until(() => woken.length > 0);
tell('woken', woken[0]);
const own = woken[0].body.parts[0].text;
tell('own words', (await prompt('ses_one', own)).length);
await event('session.idle', { sessionID: 'ses_one' });
tell('woken again', woken.length);
await event('session.deleted', { info: { id: 'ses_one' } });
tell('state', JSON.parse(rsm('agents', '--json').stdout).items[0].state);
process.env.PATH = '/nowhere';
tell('without rsm', await guard('free.txt'));
tell('silent without rsm', (await prompt('ses_two', 'begin')).length);
process.exit(0);
