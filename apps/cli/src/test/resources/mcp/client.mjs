// A client in TypeScript: sends mail, takes it and ends it. Its argument says which client: the one of the `sdk`, which begins with
// `initialize`, or the `newer` one, without a session. SERVER is the command of the server, as a list.
const [packages, options] = {
    sdk: [['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js'], {}],
    newer: [
        ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'],
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    ],
}[process.argv[2]];
const { Client } = await import(packages[0]);
const { StdioClientTransport } = await import(packages[1]);

const client = new Client({ name: 'foreign-client', version: '1.0.0' }, options);
const [command, ...args] = JSON.parse(process.env.SERVER);
const { HOME, PATH, XDG_RUNTIME_DIR } = process.env;
const transport = new StdioClientTransport({ command, args, env: { HOME, PATH, XDG_RUNTIME_DIR } });
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
