// The newer client of TypeScript, without a session: sends mail, takes it and ends it.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const client = new Client(
    { name: 'foreign-client', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
);
const transport = new StdioClientTransport({
    command: process.env.JAVA,
    args: ['-cp', process.env.JAVA_CLASSES, 'dev.pheromone.cli.Main', 'mcp'],
    env: { HOME: process.env.HOME, PATH: process.env.PATH },
});
await client.connect(transport);
const { tools } = await client.listTools();
console.log('tools', tools.length);
const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;
console.log('actor', (await call('hive_start', {})).actor);
await call('send', { to: ['code'], body: 'please look' });
const taken = await call('take', { from: 'code', wait_s: 5 });
console.log('took', taken.text.split('\n')[1]);
console.log('state', (await call('done', { claim: taken.claim, status: 'done' })).state);
await client.close();
