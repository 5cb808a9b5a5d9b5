/** Everything that `npm run bench` measures, in order. Each bench is loaded only when it runs. */

type Bench = {
  /** What is measured, and what it is compared with. */
  compares: string
  run: () => Promise<string>
}

export const BENCHES: Readonly<Record<string, Bench>> = {
  'start-up': {
    compares:
      'A command that needs no server, against a bare `node -e 0`: as published, bundled, and as a clone runs it, from its sources. Every command may cost 30 ms.',
    run: async () => await (await import('./start-up.ts')).benchStartUp(),
  },
  validators: {
    compares: 'Loading each file of generated checks, in a process of its own, against a budget of 10 ms.',
    run: async () => await (await import('./load-validators.ts')).benchValidators(),
  },
  prompts: {
    compares:
      'A prompt, against starting the same agent directly with the same arguments and input. The agent is the fake agent of the tests, which answers in about 0.8 s.',
    run: async () => await (await import('./run-prompts.ts')).benchPrompts(),
  },
  events: {
    compares:
      'Reading a million lines of each agent into events, against splitting the same bytes into lines and no more.',
    run: async () => await (await import('./read-events.ts')).benchEvents(),
  },
  sessions: {
    compares:
      'Every operation on sessions in a store of a hundred thousand, against the same in a store of a thousand.',
    run: async () => await (await import('./sessions.ts')).benchSessions(),
  },
  source: {
    compares: 'Reading and pinning an issue of 1, 4 and 16 MiB, against `JSON.parse` of the same bytes.',
    run: async () => await (await import('./source.ts')).benchSource(),
  },
  http: {
    compares:
      'Requests, against a bare `node:http` server of JSON; prompts, against starting the agent directly; 200 streams at once, against reading the pipes of 200 agents.',
    run: async () => await (await import('./http.ts')).benchHttp(),
  },
  workspace: {
    compares: 'Observing a worktree of 20,000 files, against a `git status` of it.',
    run: async () => await (await import('./workspace.ts')).benchWorkspace(),
  },
  runs: {
    compares:
      'Handing in an outcome, against starting Node and asking git the same questions; the same in a run of a thousand actions, against one of ten; and a list of many runs.',
    run: async () => await (await import('./runs.ts')).benchRuns(),
  },
}
