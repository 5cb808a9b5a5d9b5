/** A program of a user, whose types are checked against the package as it is published. It is not run. */
import {
  type ApprovalRequest,
  createDrover,
  type Drover,
  type DroverConfig,
  DroverError,
  type ErrorCode,
  type PromptEvent,
  type PromptResult,
  type Session,
} from 'drover'

/** Settings of every kind: a list, a map, a size, a native agent and one of your own. */
const CONFIG: DroverConfig = {
  unified_flags: { approval_mode: 'auto' },
  mcp_servers: [{ name: 'docs', command: 'docs', env: { TOKEN: '${TOKEN}' } }],
  backends: { claude: { model: 'opus' }, mine: { protocol: 'acp', command: ['mine'] } },
  server: { keys: [{ name: 'web', sha256: '0'.repeat(64), directories: ['/srv/project-a'] }] },
  warm: { max_rss_mb: '2M' },
}

declare function report(...values: unknown[]): void

export async function use(): Promise<void> {
  await using drover: Drover = createDrover({ config: { default_backend: 'codex' }, demo: true })
  const run = drover.prompt(
    { prompt: 'Fix the test', approval_mode: 'always', model: undefined },
    { onApproval: ({ tool_name }: ApprovalRequest) => (tool_name === 'Bash' ? 'deny' : 'allow') },
  )
  for await (const event of run) print(event)
  const result: PromptResult = await run.result
  const sessions: readonly Session[] = [await drover.sessions.get(result.session_id)]
  const { results } = await drover.compare({ prompt: 'Why?', backends: ['claude', 'codex'] })
  const outputs: string[] = results.map(({ output }) => output)
  const driven = drover.drive({ goal: 'Fix the test', deliver: 'branch' })
  for await (const { type, data } of driven) {
    // @ts-expect-error: only a pause has a reason
    if (type === 'check_ran') report(data.passed, data.reason)
    if (type === 'paused') report(data.reason === 'max_cost', data.message)
  }
  for await (const event of drover.runs.follow('r')) report(event.type === 'state' ? event.data.state : event.seq)
  const { attempts, pause } = await drover.runs.get('r')
  report(attempts[0]?.error_code, pause?.reason === 'max_tokens')
  const server = await drover.serve({ port: 0 })
  report(sessions, outputs, (await driven.result).delivered?.branch, server.url)
  await server.close()
  // @ts-expect-error: there is no such field
  createDrover({ config: { default_backnd: 'codex' } })
  // @ts-expect-error: this is no mode
  createDrover({ config: { unified_flags: { sandbox_mode: 'everything' } } })
  // @ts-expect-error: an agent of your own speaks ACP
  createDrover({ config: { backends: { mine: { command: ['mine'] } } } })
  createDrover({ config: CONFIG })
  // @ts-expect-error: there is no such field
  drover.prompt({ prompt: 'x', modle: 'y' })
}

/** The type of an event decides what it contains. */
function print(event: PromptEvent): void {
  if (event.type === 'message') report(event.content.text)
  if (event.type === 'tool_use') report(event.content.tool_name)
  if (event.type === 'done') report(event.content.token_usage.output_tokens)
}

/** The codes of this version are known, and others are possible. */
const RETRIED: readonly ErrorCode[] = ['queue_full', 'agent_overloaded']
// @ts-expect-error: there is no such code
export const UNKNOWN: ErrorCode = 'queue_ful'

export function isOfLater({ code, retryable }: DroverError): boolean {
  return retryable || code === 'a_code_of_a_later_version' || RETRIED.some((each) => each === code)
}

export function explain(error: unknown): string {
  return error instanceof DroverError ? `${error.code}: ${error.message} ${error.result?.output}` : String(error)
}
