/** The files that guard something, and the tests that notice a change in them. */
import { readFileSync } from 'node:fs'

/** A file, or its part from one text up to another or to its end. */
type Guard = string | { file: string; from: string; to?: string }

export type Group = {
  name: string
  guards: readonly Guard[]
  /** As few and as fast as possible: for each change, all that run the changed code are run. */
  tests: readonly string[]
  /** Names and SQL in these files decide: their texts are changed, too. */
  hasWords?: true
}

export const GUARDS: readonly Group[] = [
  {
    name: 'console',
    guards: ['src/console/key-press.ts'],
    tests: ['src/console/key-press.test.ts'],
    hasWords: true,
  },
  {
    name: 'ceilings',
    guards: ['src/prompts/ceilings.ts', 'src/agents/adapter/permission.ts', 'src/agents/gemini/policy.ts'],
    tests: [
      'src/prompts/ceilings.test.ts',
      'src/agents/adapter/permission.test.ts',
      'src/agents/gemini/command.test.ts',
      'src/agents/gemini/policy.test.ts',
    ],
    hasWords: true,
  },
  {
    name: 'sandbox',
    guards: [
      'src/sandbox/host-rules.ts',
      'src/sandbox/sandbox-policy.ts',
      'src/sandbox/bubblewrap-arguments.ts',
      'src/sandbox/sandbox-environment.ts',
    ],
    tests: [
      'src/sandbox/host-rules.test.ts',
      'src/sandbox/sandbox-policy.test.ts',
      'src/sandbox/bubblewrap-arguments.test.ts',
      'src/sandbox/sandbox-environment.test.ts',
    ],
    hasWords: true,
  },
  {
    name: 'environments',
    guards: ['src/kit/process/child-environment.ts', 'src/workspace/git-environment.ts'],
    tests: [
      'src/kit/process/child-environment.test.ts',
      'src/workspace/git-environment.test.ts',
      'src/agents/adapter/agent-environment.test.ts',
    ],
    hasWords: true,
  },
  {
    name: 'settings',
    guards: [
      'src/kit/agent-configuration.ts',
      'src/drive/project-settings.ts',
      'src/agents/acp/find-project-settings.ts',
    ],
    tests: [
      'src/kit/agent-configuration.test.ts',
      'src/drive/project-settings.test.ts',
      'src/agents/acp/find-project-settings.test.ts',
    ],
    hasWords: true,
  },
  {
    name: 'server',
    guards: [
      'src/prompts/approvals.ts',
      'src/agents/adapter/decided-approval.ts',
      'src/executions/store/fair-share.ts',
      'src/http/context/{logins,sender,wrong-keys}.ts',
      'src/http/executions/requested-execution.ts',
      'src/service/execution-calls.ts',
      'src/http/request/{browser-login,connection-slots,open-requests}.ts',
    ],
    tests: [
      'src/prompts/approvals.test.ts',
      'src/agents/adapter/decided-approval.test.ts',
      'src/executions/store/fair-share.test.ts',
      'src/http/context/{logins,sender,wrong-keys}.test.ts',
      'src/http/executions/*.test.ts',
      'src/http/request/{browser-login,connection-slots,open-requests}.test.ts',
      'src/service/execution-calls.test.ts',
    ],
  },
  {
    name: 'keys',
    guards: ['src/config/{api-keys,key-ring}.ts'],
    tests: ['src/config/{api-keys,key-ring}.test.ts'],
  },
  {
    name: 'decide',
    guards: ['src/drive/decide/!(*.test).ts'],
    tests: ['src/drive/decide/*.test.ts'],
  },
  {
    name: 'claims',
    guards: ['src/drive/evidence/{compare-claims,find-review-flags,trace,tree}.ts'],
    tests: ['src/drive/evidence/{compare-claims,find-review-flags,trace,tree}.test.ts'],
  },
  {
    name: 'commands',
    guards: ['src/drive/evidence/{find-command-run,shell-line}.ts', 'src/kit/shell-tokens.ts'],
    tests: ['src/drive/evidence/find-command-run.test.ts'],
  },
  {
    name: 'run-rules',
    guards: ['src/drive/service/client-rules.ts'],
    tests: ['src/drive/service/client-rules.test.ts'],
  },
  {
    name: 'acp-clients',
    guards: ['src/agents/acp/{client-files,client-methods,permissions,usage}.ts'],
    tests: ['src/agents/acp/{client-files,client-methods,permissions,usage}.test.ts'],
  },
  {
    name: 'acp-turns',
    guards: [
      {
        file: 'src/agents/acp/turn.ts',
        from: '/** The mode of this turn',
        to: 'async #setModel(',
      },
      { file: 'src/agents/acp/turn.ts', from: 'cancel(): void', to: '/** A request to continue' },
    ],
    tests: ['test/agents/acp/{acp-permissions,warm-process}.test.ts'],
  },
  {
    name: 'editors',
    guards: [
      { file: 'src/acp/acp-session.ts', from: '/** Throws a Fault if a prompt still runs', to: 'async #turn(' },
      { file: 'src/acp/acp-session.ts', from: 'async #toRequest(', to: 'export function lastBackend' },
      { file: 'src/acp/editor-agent.ts', from: '/** Undefined: there is no such method', to: '#initialize(' },
      { file: 'src/acp/editor-agent.ts', from: '/** What the editor does not decide', to: 'const PERMISSIONS' },
    ],
    tests: ['test/acp/refusals.test.ts'],
  },
  {
    name: 'questions',
    guards: [{ file: 'src/acp/session-updates.ts', from: '/** The tool call that an agent asks', to: '#message(' }],
    tests: ['src/acp/session-updates.test.ts'],
  },
  {
    name: 'pool',
    guards: [
      { file: 'src/agents/pool/warm-pool.ts', from: '/** Undefined: such a request', to: 'list(): WarmProcessReport' },
      { file: 'src/agents/pool/warm-pool.ts', from: '/** The session is resumed in', to: '#toLease(' },
      { file: 'src/agents/pool/warm-pool.ts', from: '#release(entry: Entry', to: 'async #measure(' },
    ],
    tests: ['test/agents/warm/pool.test.ts'],
  },
  {
    name: 'pool-keys',
    guards: [
      'src/agents/pool/pool-key.ts',
      {
        file: 'src/agents/pool/pool-rules.ts',
        from: 'export function chooseProcess',
        to: '/** Whether to start a process',
      },
    ],
    tests: ['src/agents/pool/{pool-key,pool-rules}.test.ts'],
  },
  {
    name: 'senders',
    guards: [
      'src/http/request/{browsers,rate-limit}.ts',
      // What is between them reads the trace of a request, which guards nothing.
      { file: 'src/http/request/identify.ts', from: '/** Request ids are', to: '/**\n * The `traceparent`' },
      { file: 'src/http/request/identify.ts', from: '/** For Fastify' },
    ],
    tests: ['src/http/request/{browsers,identify,rate-limit}.test.ts'],
  },
  {
    name: 'requests',
    guards: [
      { file: 'src/http/request/hooks.ts', from: 'export function addRequestHooks', to: '/** Runs for every request' },
      {
        file: 'src/http/request/hooks.ts',
        from: '/** Returns whether the connection',
        to: '/** Endpoints of the vendor',
      },
      { file: 'src/http/request/hooks.ts', from: '/** RFC 9112, section 3.2. Node', to: '/** Node and Fastify' },
    ],
    tests: [
      'test/http/guards.test.ts',
      'test/http/local-socket.test.ts',
      'test/http/wrong-keys.test.ts',
      'test/http/limits.test.ts',
    ],
  },
  {
    name: 'runs',
    guards: [
      { file: 'src/drive/service/driven-runs.ts', from: 'async resume(by', to: 'async continueAll(' },
      {
        file: 'src/drive/service/driven-runs.ts',
        from: 'async #openToChange(',
        to: 'const context = await openOwnWorktree',
      },
    ],
    tests: ['test/http/runs.test.ts'],
  },
  {
    name: 'verdicts',
    guards: [
      'src/drive/decide/{judge-work,verdict,delivery-check}.ts',
      'src/drive/evidence/{judge-repository-changes,repository-flags}.ts',
      'src/workspace/worktree-heads.ts',
    ],
    tests: [
      'src/drive/decide/{judge-work,verdict,delivery-check}.test.ts',
      'src/drive/evidence/judge-repository-changes.test.ts',
      'src/workspace/worktree-heads.test.ts',
    ],
  },
  {
    name: 'evidence',
    guards: ['src/drive/evidence/{find-review-flags,compare-claims,tree,trace}.ts'],
    tests: ['src/drive/evidence/{find-review-flags,compare-claims,any-claim,folder-paths,tree,trace}.test.ts'],
  },
  {
    name: 'guards',
    guards: [
      'src/drive/{attempt-guard,guard-repository,attribute-changes,check-delivery}.ts',
      { file: 'src/drive/run-checks.ts', from: 'const FILE_LIMIT_BYTES' },
      { file: 'src/runs/run-worktree.ts', from: '/** Throws `run_of_own_agent`' },
    ],
    tests: [
      'src/drive/attempt-guard.test.ts',
      'test/drive/{guarded-repository,clean-checkout,prepared-worktrees,own-run}.test.ts',
    ],
  },
  {
    name: 'visibility',
    guards: ['src/sessions/session-visibility.ts'],
    tests: ['src/sessions/session-visibility.test.ts'],
    hasWords: true,
  },
  {
    name: 'old-keys',
    guards: ['src/store/key-ids.ts'],
    tests: ['src/store/key-ids.test.ts'],
    hasWords: true,
  },
]

/** What Stryker is to change: a part of a file as lines, which differ after every edit above them. Paths are those of the clone. */
export function patternsOf({ guards }: Pick<Group, 'guards'>): string[] {
  return guards.map((guard) => {
    if (typeof guard === 'string') return guard
    const { file, from, to } = guard
    const text = readFileSync(file, 'utf8')
    const start = text.indexOf(from)
    const end = to === undefined ? text.length : text.indexOf(to, start)
    if (start === -1 || end === -1) throw new Error(`${file} has no part from "${from}" to "${to ?? 'its end'}"`)
    const lineOf = (at: number) => text.slice(0, at).split('\n').length
    return `${file}:${lineOf(start)}-${lineOf(end) - 1}`
  })
}
