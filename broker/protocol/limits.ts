/** Every number of the specification ("Limits") and of decisions D1–D19, once. Sizes in bytes, durations in ms. */
const KiB = 1024;
const MiB = 1024 * KiB;
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export const limits = {
  protocolVersion: 1,

  body: { json: MiB, activity: 16 * MiB, unauthenticated: 4 * KiB, setup: 256 * KiB },
  bodyReadMs: 30 * second,

  memberName: 64,
  roleTitle: 64,
  roleDescription: 512,
  instructions: 8192,
  permissionEntries: 32,
  team: { name: 64, directive: 2048, brief: 16_384 },

  message: { title: 200, body: 65_536, dataBytes: 16 * KiB, attachments: 64 },
  idempotencyKey: { characters: 128, keptMs: day },
  history: { pageDefault: 50, pageMax: 500 },

  stream: {
    retryMs: 2 * second,
    heartbeatMs: 15 * second,
    waitingBytes: MiB,
    byeMs: 5 * second,
  },

  objective: {
    title: 200,
    outcome: 2048,
    body: 4096,
    reason: 2048,
    result: 4096,
    discussion: 16_384,
  },

  tokenLabel: 64,
  userAgent: 512,
  totp: { stepMs: 30 * second, driftSteps: 1, secretBytes: 20 },
  loginFailures: { windowMs: 15 * minute, perMember: 5, global: 10 },
  session: { lifetimeMs: 7 * day, lagMs: minute },
  enrollment: {
    requestsPerHour: 10,
    windowMs: hour,
    lifetimeMs: 10 * minute,
    intervalMs: 5 * second,
    slowDownMs: 5 * second,
    historyMs: 30 * day,
  },
  busyMs: 30 * second,
  pushSubscriptions: 20,
  pushPayloadBytes: 3000,
  pushTextCharacters: 180,
  platformLookupFailures: { windowMs: hour, perAddress: 10 },
  jwt: { toleranceSeconds: 60, jwksMaxAgeMs: 10 * minute },
  lastUsedLagMs: 30 * second,
  fsPath: { characters: 1024, segmentBytes: 255 },
  mimeType: 255,
  maxFileSize: 100 * MiB,
} as const;
