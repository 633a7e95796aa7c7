// Who may import whom. The name of each rule is the sentence that a reviewer would say.
const feature = '^broker/features/([^/]+)/';
// What a conversation is, and who reads it, is shared by all features.
const scopes = '^broker/features/scopes/';
const agentKinds = '^runner/agents/(agent-kinds|descriptor|[a-z-]+/descriptor)\\.ts$';
export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'protocol-imports-only-zod',
      severity: 'error',
      from: { path: '^broker/protocol/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^broker/protocol/', 'node_modules/zod'] },
    },
    {
      name: 'platform-helpers-import-only-node',
      severity: 'error',
      from: { path: '^broker/platform/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^broker/platform/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'the-client-knows-only-protocol-and-platform',
      severity: 'error',
      from: { path: '^broker/client/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(broker|runner|renderer|electron|bin)/',
        pathNot: '^broker/(client|platform|protocol)/',
      },
    },
    {
      name: 'the-console-sees-only-the-protocol',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^broker/', pathNot: '^broker/protocol/' },
    },
    {
      name: 'the-runner-sees-only-protocol-client-and-platform',
      severity: 'error',
      from: { path: '^runner/' },
      to: { path: '^broker/', pathNot: '^broker/(client|platform|protocol)/' },
    },
    {
      name: 'the-desktop-hosts-the-broker-through-one-door',
      severity: 'error',
      from: { path: '^electron/' },
      to: { path: '^broker/', pathNot: '^broker/((client|platform|protocol)/|create-broker\\.ts$)' },
    },
    {
      name: 'renderer-is-a-browser',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'renderer-reaches-electron-only-by-bridge-types',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^electron/', pathNot: '^electron/bridge\\.ts$' },
    },
    {
      name: 'programs-do-not-import-each-other',
      severity: 'error',
      from: { path: '^(broker|runner|electron)/' },
      to: {
        path: '^(renderer|runner|electron)/',
        pathNot: ['^$1/', agentKinds],
      },
    },
    {
      name: 'kinds-of-agents-are-plain-data',
      severity: 'error',
      from: { path: agentKinds },
      to: { pathNot: '^runner/agents/(descriptor|[a-z-]+/descriptor)\\.ts$' },
    },
    {
      name: 'windows-know-of-the-runner-only-the-kinds-of-agents',
      severity: 'error',
      from: { path: '^(electron|renderer)/' },
      to: { path: '^runner/', pathNot: agentKinds },
    },
    {
      name: 'programs-do-not-know-how-they-are-packed',
      severity: 'error',
      from: { pathNot: ['^bin/packing/', '^(bin|electron)/build\\.ts$', '^docs/\\.vitepress/', '^test/'] },
      to: { path: '^bin/packing/' },
    },
    {
      name: 'only-electron-imports-electron',
      severity: 'error',
      from: { pathNot: ['^electron/', '^test/desktop/testing/recorder\\.cjs$'] },
      to: { path: '^(electron$|node_modules/electron/)' },
    },
    {
      // An import by name costs 13 MiB and 25 ms: docs/decisions/0013-memory-at-rest.md.
      name: 'http-is-not-imported-by-name',
      severity: 'error',
      from: { path: '^(broker|electron|runner|bin)/', pathNot: ['/testing/', '\\.test\\.ts$'] },
      to: { path: '^(node:)?http$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rules-are-pure',
      severity: 'error',
      from: { path: '\\.rules\\.ts$' },
      to: { pathNot: ['^broker/protocol/', '\\.rules\\.ts$', agentKinds] },
    },
    {
      name: 'services-do-no-io',
      severity: 'error',
      from: { path: '\\.service\\.ts$' },
      to: {
        path: [
          '^broker/(http|storage)/',
          '^broker/platform/(?!(error-text|serial-queue)\\.ts$)',
          '\\.sqlite\\.ts$',
          '\\.routes\\.ts$',
          'node_modules/(fastify|better-sqlite3)',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'routes-talk-to-services',
      severity: 'error',
      from: { path: '\\.routes\\.ts$' },
      to: { path: ['\\.store\\.ts$', '\\.sqlite\\.ts$', '\\.rules\\.ts$', '^broker/storage/'] },
    },
    {
      name: 'features-meet-only-as-service-types',
      severity: 'error',
      from: { path: feature, pathNot: '\\.sqlite\\.ts$' },
      to: { path: '^broker/features/', pathNot: ['^broker/features/$1/', '\\.service\\.ts$', scopes] },
    },
    {
      name: 'units-call-only-units',
      severity: 'error',
      from: { path: '^broker/features/([^/]+)/[^/]+\\.sqlite\\.ts$' },
      to: { path: '^broker/features/', pathNot: ['^broker/features/$1/', '\\.sqlite\\.ts$', scopes] },
    },
    {
      name: 'only-scopes-decides-who-reads-a-conversation',
      severity: 'error',
      from: { path: feature, pathNot: scopes },
      to: { path: '^broker/features/[^/]+/(channel|thread)-facts\\.', pathNot: '^broker/features/$1/' },
    },
    {
      name: 'features-do-not-build-each-other',
      severity: 'error',
      from: { path: feature, pathNot: '\\.sqlite\\.ts$' },
      to: {
        path: '^broker/features/',
        pathNot: ['^broker/features/$1/', scopes],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'shared-broker-code-knows-no-feature',
      severity: 'error',
      from: {
        path: '^broker/(http|storage|runtime|security|config|client|platform|tracing)/',
        pathNot: '\\.test\\.ts$',
      },
      to: { path: '^broker/features/' },
    },
    {
      // Loaded only if an endpoint is configured: docs/decisions/0037-traces-begin-in-the-broker.md.
      name: 'only-tracing-knows-opentelemetry',
      severity: 'error',
      from: { pathNot: '^broker/tracing/' },
      to: { path: 'node_modules/@opentelemetry' },
    },
    {
      name: 'opentelemetry-is-loaded-through-one-door',
      severity: 'error',
      from: { pathNot: '^broker/tracing/' },
      to: { path: '^broker/tracing/', pathNot: '^broker/tracing/(open-tracing\\.ts$|testing/)' },
    },
    {
      name: 'only-adapters-touch-sqlite',
      severity: 'error',
      from: {
        pathNot: [
          '\\.sqlite\\.ts$',
          '^broker/(storage|standby)/',
          '^broker/(?:store-thread|main-store|activity-store)\\.ts$',
          '^test/',
          '^broker/testing/',
        ],
      },
      to: { path: ['^broker/storage/sqlite/', 'node_modules/better-sqlite3'] },
    },
    {
      name: 'only-the-root-composes',
      severity: 'error',
      from: {
        pathNot: [
          '^broker/(create-broker|store-thread|main-store|activity-store)\\.ts$',
          // Works on the files of stores, beside the broker or without one.
          '^broker/backup/',
          '\\.sqlite\\.ts$',
          '\\.test\\.ts$',
          '^broker/testing/',
          '^test/crash/',
        ],
      },
      to: { path: ['\\.sqlite\\.ts$', '\\.routes\\.ts$'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'product-code-never-imports-tests',
      severity: 'error',
      from: { pathNot: ['^test/', '\\.test\\.tsx?$', '/testing/'] },
      to: { path: ['\\.test\\.tsx?$', '/testing/'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'dist' },
  },
};
