// Read by node before a program: every request of the program shows the token in MCP_TOKEN.
import http from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const authorization = `Bearer ${process.env.MCP_TOKEN}`;
const plain = globalThis.fetch;
globalThis.fetch = (url, options = {}) => {
    const headers = new Headers(options.headers ?? {});
    headers.set('authorization', authorization);
    return plain(url, { ...options, headers });
};
const request = http.request;
http.request = (...given) => {
    const options = given.find((part) => typeof part === 'object' && part.method);
    options.headers = { ...options.headers, authorization };
    return request(...given);
};
const { getGlobalDispatcher, setGlobalDispatcher, Dispatcher } =
    createRequire(join(process.env.MCP_FOLDER, 'node_modules', 'any.js'))('undici');
const before = getGlobalDispatcher();
class WithToken extends Dispatcher {
    dispatch(options, handler) {
        const headers = Array.isArray(options.headers)
            ? [...options.headers, 'authorization', authorization]
            : { ...options.headers, authorization };
        const already = JSON.stringify(options.headers ?? {}).toLowerCase().includes('authorization');
        return before.dispatch(already ? options : { ...options, headers }, handler);
    }
    close(...given) { return before.close(...given); }
    destroy(...given) { return before.destroy(...given); }
}
setGlobalDispatcher(new WithToken());
