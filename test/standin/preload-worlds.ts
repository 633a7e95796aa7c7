/**
 * The code that runs in a page of the stand-in: the preload in an isolated world of its own, and in the page's world
 * only what it exposes. The two communicate by DOM events whose text is copied, so neither ever holds an
 * object of the other.
 */

/** In the page's world, before any script of the page. */
export const pageWorld = `(() => {
  const listeners = [];
  const waiting = new Map();
  let calls = 0;
  // Copied as the structured clone of the engine does; the main process makes bytes of it again.
  const bytes = (_key, value) => value instanceof Uint8Array ? { standinBytes: value.toBase64() } : value;
  const pack = (value) => typeof value === 'function' ? { listener: listeners.push(value) - 1 } : { value };
  addEventListener('standin:expose', ({ detail }) => {
    const { key, methods, values } = JSON.parse(detail);
    if (window[key] !== undefined) return;
    const api = { ...values };
    for (const method of methods)
      api[method] = (...args) => new Promise((resolve, reject) => {
        const call = calls++;
        waiting.set(call, { resolve, reject });
        dispatchEvent(new CustomEvent('standin:call', { detail: JSON.stringify({ key, method, call, args: args.map(pack) }, bytes) }));
      });
    Object.defineProperty(window, key, { value: Object.freeze(api) });
  });
  addEventListener('standin:result', ({ detail }) => {
    const { call, error, value } = JSON.parse(detail);
    const one = waiting.get(call);
    waiting.delete(call);
    if (error === undefined) one?.resolve(value); else one?.reject(new Error(error));
  });
  addEventListener('standin:heard', ({ detail }) => {
    const { listener, args } = JSON.parse(detail);
    listeners[listener]?.(...args);
  });
  dispatchEvent(new CustomEvent('standin:ready'));
})();`;

/** In the isolated world: a `require` with `electron` only, and the preload as it was built. */
export const preloadWorld = (preload: string, argv: readonly string[]): string => `(() => {
  const exposed = new Map();
  const waiting = new Map();
  const heard = new Map();
  let calls = 0;
  const tell = (name, detail) => dispatchEvent(new CustomEvent(name, { detail: JSON.stringify(detail) }));
  const show = (key, api) => tell('standin:expose', {
    key,
    methods: Object.keys(api).filter((name) => typeof api[name] === 'function'),
    values: Object.fromEntries(Object.entries(api).filter(([, value]) => typeof value !== 'function')),
  });
  addEventListener('standin:ready', () => { for (const [key, api] of exposed) show(key, api); });
  addEventListener('standin:call', async ({ detail }) => {
    const { key, method, call, args } = JSON.parse(detail);
    const given = args.map((one) => 'listener' in one ? (...rest) => tell('standin:heard', { listener: one.listener, args: rest }) : one.value);
    try {
      tell('standin:result', { call, value: await exposed.get(key)[method](...given) });
    } catch (error) {
      tell('standin:result', { call, error: String(error) });
    }
  });
  globalThis.standinAnswer = ({ call, error, value }) => {
    const one = waiting.get(call);
    waiting.delete(call);
    if (error === undefined) one?.resolve(value); else one?.reject(new Error(error));
  };
  globalThis.standinSend = (channel, args) => { for (const listener of heard.get(channel) ?? []) listener({}, ...args); };
  const electron = {
    contextBridge: { exposeInMainWorld(key, api) { exposed.set(key, api); show(key, api); } },
    ipcRenderer: {
      invoke: (channel, argument) => new Promise((resolve, reject) => {
        const call = calls++;
        waiting.set(call, { resolve, reject });
        standinIpc(JSON.stringify({ call, channel, argument }));
      }),
      on(channel, listener) { heard.set(channel, [...(heard.get(channel) ?? []), listener]); },
    },
  };
  const require = (name) => {
    if (name !== 'electron') throw new Error('a sandboxed preload has no ' + name);
    return electron;
  };
  const process = { argv: ${JSON.stringify(argv)} };
  const module = { exports: {} };
  (function (require, process, module, exports) { ${preload}
  })(require, process, module, module.exports);
})();`;
