/** Every number of the specification, once. Sizes in bytes, durations in ms. */
const KiB = 1024;
const MiB = 1024 * KiB;
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export const limits = {
  protocolVersion: 1,

  body: {
    json: MiB,
    activity: 16 * MiB,
    unauthenticated: 4 * KiB,
    setup: 256 * KiB,
    /** Up to this size, a body is read at once, and its value cannot be much larger than its text. */
    small: 64 * KiB,
    /** Objects and lists in a larger one: each costs its parser many times its text. */
    containers: 20_000,
    /** Bytes of larger ones that are held until their requests are answered; more wait, unread. */
    held: { perMember: 8 * MiB, all: 256 * MiB, waitMs: 20 * second },
  },
  bodyReadMs: 30 * second,

  memberName: 64,
  roleTitle: 64,
  roleDescription: 512,
  instructions: 8192,
  permissionEntries: 32,
  team: { name: 64, directive: 2048, brief: 16_384 },

  /** `changeMs`: how long its sender may edit or delete it. */
  message: {
    title: 200,
    body: 65_536,
    dataBytes: 16 * KiB,
    maxDataDepth: 128,
    attachments: 64,
    changeMs: hour,
  },
  idempotencyKey: { characters: 128, keptMs: day },
  history: { pageDefault: 50, pageMax: 500, windowMax: 100 },

  stream: {
    retryMs: 2 * second,
    heartbeatMs: 15 * second,
    waitingBytes: MiB,
    byeMs: 5 * second,
    perMember: 100,
    /** Streams that read a page of their backlog at a time. */
    resuming: { all: 32, perKey: 4 },
    /** How long such a stream keeps its turn while its reader does not take the page. */
    takeMs: 5 * second,
  },
  /**
   * Requests that are being answered at a time: in all, of one member, and of one that is alone. An upload lasts as long as its
   * client wants, so each member may always have one.
   */
  turns: {
    reads: { all: 256, perKey: 2, alone: 64 },
    changes: { all: 256, perKey: 1, alone: 64 },
    uploads: { all: 64, perKey: 8, always: 1 },
  },
  /** Files and long lists that one member may be receiving at a time. */
  downloadsPerMember: 32,

  objective: {
    title: 200,
    outcome: 2048,
    body: 4096,
    reason: 2048,
    result: 4096,
    discussion: 16_384,
    /** Watchers that one request may name: each is an audit event and a notice of its own. */
    watchers: 64,
    listMax: 500,
  },

  channelSlug: 32,
  /**
   * Channels that one member may create, archived ones included; holders of members.manage have no such limit
   * (ADR 0012).
   */
  channelsPerMember: 1000,
  /** `budgetMs`: a search that takes longer ends its page at the next block of the index (specification/search.md#limits). */
  search: { query: 200, terms: 16, pageDefault: 20, pageMax: 100, snippetCharacters: 180, budgetMs: 10 },
  /** Files found by their names. `examined`: as many entries are looked at for one page, whatever matches. */
  fsFind: { query: 200, pageDefault: 20, pageMax: 100, examined: 2000 },
  /**
   * Records of the audit log. `scanned`: as many are read for one page, whatever its filters match. Failures
   * of strangers are counted for `burstMs` and written together, separately for `burstsPerKind` of them.
   */
  audit: { pageDefault: 50, pageMax: 500, scanned: 5000, burstMs: 60_000, burstsPerKind: 8 },
  /** Members, or channels, of one page of their list. */
  listPageMax: 500,
  /** Open objectives in a briefing. */
  briefingObjectives: 50,
  /** Messages that wait for a runner, in one answer. */
  waitingMessages: 200,
  /**
   * Conversations with something new in one answer, of those without anything new the last ones that the member
   * marked as read, and where counting stops in each.
   */
  unread: { scopes: 1000, read: 50, counted: 10_000, marks: 100 },
  /**
   * `blocked`: how many of the newest blocked objectives are examined. `results`: how many are listed, and the characters of one that are
   * read. `muted`: the characters of their names together.
   */
  inbox: { blocked: 100, results: 500, result: 2000, muted: 8000 },
  /**
   * `examined`: how many critical messages of the team are searched for unread ones. `conversations`: how many conversations with new messages
   * are searched for a message to the member.
   */
  attention: {
    marks: 500,
    item: 200,
    critical: 50,
    addressed: 50,
    examined: 500,
    conversations: 100,
    excerpt: 200,
  },
  /** Characters of a network address that are kept. */
  address: 64,

  activity: {
    /** `summary`: characters of a text and of a name, and how many calls and results one has. */
    summariesMax: 200,
    summariesDefault: 50,
    summaryFrames: 200,
    summary: { text: 200, name: 128, calls: 20 },
    /** `text`: characters of each text; `blocks`: of each side of an exchange; `bytes`: after which a page ends. */
    /** `side`: what a turn may have of the request, and of the answer, in characters; `bytes`: a page. */
    transcript: { max: 50, default: 20, text: 20_000, blocks: 50, side: 256 * 1024, bytes: 512 * 1024 },
    batch: 500,
    rangeDefault: 200,
    rangeMax: 1000,
    /** Open–close spans of an objective that one range query searches. */
    spans: 1000,
    /**
     * How deep a batch may be nested, and how many objects and lists it may have, because a parser's memory
     * grows with both.
     */
    depth: 128,
    containers: 1_000_000,
    /** Stored rows are read and sent in pieces of this size, or one row. */
    pageBytes: 256 * KiB,
    /**
     * Sums per day (ADR 0010): the days of one query, and how many names that an uploader chose one member's
     * day may hold.
     */
    usage: { daysDefault: 30, daysMax: 400, models: 16, modelCharacters: 128 },
    /** Bytes of uploads that are held at a time; more wait, unread. */
    intake: { perMember: 32 * MiB, all: 128 * MiB, waitMs: 20 * second },
  },

  tokenLabel: 64,
  userAgent: 512,
  totp: { stepMs: 30 * second, driftSteps: 1, secretBytes: 20 },
  /** Of one reserve: a source address, this machine, a known device, or a bearer (ADR 0030). */
  loginFailures: { windowMs: 15 * minute, perMember: 5, global: 10 },
  /** Of addresses that nothing else vouches for, each figure in a day (ADR 0030). */
  strangerLoginFailures: {
    windowMs: day,
    /** Of all together, and of those among them without a name. */
    all: 500,
    unnamed: 250,
    perNetwork: 50,
    /** For each name, after the others are used up. */
    perName: 3,
    /** Names share so many counters, so that invented ones take no memory. */
    nameCounters: 1024,
  },
  /** The sources of failed logins, as managers and the log see them. */
  loginKnocks: { windowMs: 15 * minute, sources: 100, shown: 5, logEveryMs: minute },
  knownDevice: { lifetimeMs: 180 * day, perMember: 20 },
  /** A link into the console, and how many of one member may be open. */
  loginLink: { lifetimeMs: minute, perMember: 5 },
  session: { lifetimeMs: 7 * day, lagMs: minute, perMember: 100, device: 64 },
  /** Changes that a member without members.manage makes to its own credentials or to the team: each is in the audit log. */
  ownChanges: { perMember: 30, windowMs: hour },
  enrollment: {
    requestsPerHour: 10,
    windowMs: hour,
    lifetimeMs: 10 * minute,
    intervalMs: 5 * second,
    slowDownMs: 5 * second,
    historyMs: 30 * day,
  },
  busyMs: 30 * second,
  busyHeartbeatMs: 15 * second,
  run: {
    host: 64,
    agent: 128,
    replaces: 16,
    renewMs: 15 * second,
    leaseMs: 45 * second,
    /** How long a run that is to end may take until its lease passes to the next one all the same. */
    leaveMs: 10 * second,
    /** The time for which a run is asked to stop, or to interrupt its agent; one that cannot may work on after it. */
    askMs: minute,
    /** Claims of one member that wait for that at a time. */
    takingOver: 4,
    tokenMs: hour,
    /** The time that is left to a run whose token would have expired while the broker stood still. */
    respiteMs: 2 * minute,
  },
  /** Posts that agents cause each other to write (specification/messages.md#held-posts). */
  holds: {
    /** Messages that a post may name as its causes. */
    causes: 20,
    /** Posts by agents in a row since a person wrote; the default of the team, and the most that it may set. */
    hops: 12,
    hopsMax: 1000,
    /** Posts between the same two agents within the window, without one by a person. */
    pairPosts: 20,
    pairWindowMs: minute,
    /** The newest messages of a conversation that decide about the next one. */
    lookback: 200,
    /** How old the message may be that a direct message without causes counts as an answer to. */
    answersWithinMs: 10 * minute,
    perMember: 50,
    perTeam: 500,
    excerpt: 1000,
  },
  modelReportMs: 45 * second,
  modelDetail: 200,
  toolListDebounceMs: 150,
  pushSubscriptions: 20,
  pushPayloadBytes: 3000,
  pushTextCharacters: 180,
  platformLookupFailures: { windowMs: hour, perAddress: 10 },
  jwt: { toleranceSeconds: 60, jwksMaxAgeMs: 10 * minute },
  lastUsedLagMs: 30 * second,
  fsPath: { characters: 1024, segmentBytes: 255 },
  mimeType: 255,
  maxFileSize: 100 * MiB,
  /** The upper bounds of a home. */
  home: { bytes: 64 * 1024 * MiB, entries: 100_000 },
  /** Uploads end while less of the disk is free: so many bytes, or this share of a smaller disk. */
  freeDisk: { bytes: 256 * MiB, share: 0.05 },
  /** Entries of one page of a directory, and how many of them a store reads at a time. */
  fsListMax: 1000,

  /** The bounds on the cost of a connection before and after it has a credential (specification/api.md#connections). */
  connections: {
    all: 4096,
    perSource: 512,
    /** Of all connections, those that only sources without a limit of their own may use: the operator's way in. */
    reserved: 64,
    /** Requests of one connection that wait for their answer, the one being answered included. */
    unanswered: 16,
    /** After a flood of requests or chunks on one connection, all of them are parsed in pieces for this time. */
    alarmMs: hour,
    /** How long a reply may make no progress while a part of it is unsent. */
    writeIdleMs: 30 * second,
    headersMs: 15 * second,
    keepAliveMs: 65 * second,
    /** After a polite end: how long the other side may be silent, or go on sending, until the connection is destroyed. */
    silentEndMs: 2 * second,
    lingerMs: 5 * second,
    lingerBytes: 64 * MiB,
  },

  /** Rules for removing what is old (specification/retention.md). */
  retention: {
    daysMax: 36_500,
    bytesMin: MiB,
    /** The audit log has to outlast an investigation, whoever sets the rule. */
    auditDaysMin: 30,
    auditRecordsMin: 10_000,
    channels: 1000,
    holds: 200,
    reason: 500,
    /** A message counts as its text and as much for its other fields and its places in indexes. */
    messageBytes: 256,
    everyMs: hour,
    /** The number of entries that one step looks at, so that it takes a few milliseconds. */
    perStep: {
      messages: 250,
      conversations: 200,
      counted: 1000,
      activity: 50,
      pieces: 200,
      audit: 500,
    },
    /** Steps in one turn of the housekeeping, which comes every ten seconds, and the pause after each. */
    stepsPerTurn: 200,
    pauseMs: 5,
  },
} as const;
