/** Everything that `npm run bench` measures, in order. Each bench is loaded only when it runs. */

type Bench = {
  /** What is measured, and what it is compared with. */
  compares: string
  run: () => Promise<string>
}

export const BENCHES: Readonly<Record<string, Bench>> = {
  'start-up': {
    compares:
      'A command that needs no server, compared with a bare `node -e 0`: as published (bundled), and from the sources of a clone. Every command may take 30 ms more.',
    run: async () => await (await import('./start-up.ts')).benchStartUp(),
  },
  validators: {
    compares: 'Loading each file of generated checks in its own process, compared with a budget of 10 ms.',
    run: async () => await (await import('./load-validators.ts')).benchValidators(),
  },
  prompts: {
    compares:
      'A prompt, compared with starting the same agent directly with the same arguments and input. The agent is the fake agent of the tests, which answers in about 0.8 s.',
    run: async () => await (await import('./run-prompts.ts')).benchPrompts(),
  },
  warm: {
    compares:
      'A prompt to an agent that is already up, compared with starting the same agent by hand. The agents are the real ones on PATH, with a model server on this machine; without any, scripted ones.',
    run: async () => await (await import('./warm.ts')).benchWarm(),
  },
  events: {
    compares:
      'Reading a million lines of each agent into events, compared with only splitting the same bytes into lines.',
    run: async () => await (await import('./read-events.ts')).benchEvents(),
  },
  sessions: {
    compares: 'Every operation on sessions in a store of a hundred thousand, compared with a store of a thousand.',
    run: async () => await (await import('./sessions.ts')).benchSessions(),
  },
  executions: {
    compares:
      'A page of executions in a store of a hundred thousand, compared with a store of a thousand; and an event of a stream that is stored, compared with one that is not.',
    run: async () => await (await import('./executions.ts')).benchExecutions(),
  },
  source: {
    compares: 'Reading and pinning an issue of 1, 4 and 16 MiB, compared with `JSON.parse` of the same bytes.',
    run: async () => await (await import('./source.ts')).benchSource(),
  },
  http: {
    compares:
      'Requests, compared with a bare `node:http` server of JSON; prompts, compared with starting the agent directly; 200 concurrent streams, compared with reading the pipes of 200 agents.',
    run: async () => await (await import('./http.ts')).benchHttp(),
  },
  'large-prompts': {
    compares:
      'The longest time that requests about sessions with prompts of 5 to 10 MB block the event loop of the server, compared with a budget of 50 ms.',
    run: async () => {
      const { benchLargePrompts } = await import('./large-prompts.ts')
      return await (await import('./published.ts')).withPublished(benchLargePrompts)
    },
  },
  workspace: {
    compares: 'Observing a worktree of 20,000 files, compared with `git status`.',
    run: async () => await (await import('./workspace.ts')).benchWorkspace(),
  },
  prepare: {
    compares:
      'Preparing a worktree with 100,000 installed files, compared with `cp -a` of the same tree; looking at a worktree of 100,000 files before and after an attempt, compared with `git status`; and the second preparation of a small project of Node, Python and Go, compared with the first. It runs in memory if there is room; `BENCH_DIRECTORIES=/a:/b` names other file systems.',
    run: async () => await (await import('./prepare.ts')).benchPrepare(),
  },
  sandbox: {
    compares:
      'A command that does nothing in a sandbox, with everything that drover does for it, compared with the same command outside; and a prompt to an agent that is already up, in a sandbox and outside.',
    run: async () => await (await import('./sandbox.ts')).benchSandbox(),
  },
  drive: {
    compares:
      'What `drover drive` adds to its agents: the time from the answer of an agent until the next one has its prompt. An agent that is started for it needs a part of that time itself. The agent is a scripted one, which starts as fast as Node does.',
    run: async () => await (await import('./drive.ts')).benchDrive(),
  },
  runs: {
    compares:
      'Submitting an outcome, compared with starting Node and running the same git commands; the same in a run of a thousand actions, compared with one of ten; and a list of many runs.',
    run: async () => await (await import('./runs.ts')).benchRuns(),
  },
}
