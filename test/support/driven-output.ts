/** What a scripted agent prints, as claude, as `codex exec` or as `codex app-server`. */

export type CommandRun = { exitCode: number; output: string }
type TurnCost = {
  input: number
  output: number
  cost: number | undefined
  fails: string | undefined
  limit: string | undefined
}

/** Prints one turn. */
export type TurnOutput = {
  readonly sessionId: string
  begin(): void
  message(text: string): void
  pieces(texts: readonly string[]): void
  /** A command, which is run after claude has shown that it will be. */
  command(command: string, run: () => CommandRun): void
  /** Says that it sends its request again, for the nth time. */
  retry(count: number): void
  /** A model request that has come to its end. Only claude shows it. */
  request(tokens: { input: number; output: number }): void
  /** An edit; `denied`: what the policy answers instead; `texts`: what it replaces, and by what. Only claude shows them. */
  edit(path: string, denied?: string, texts?: readonly [before: string, after: string]): void
  end(answer: string, cost: TurnCost): void
}

export function print(frame: object): void {
  process.stdout.write(`${JSON.stringify(frame)}\n`)
}

let calls = 0
/** Claude adds up the costs over the life of a process. */
let paid = 0

/** `echo`: the message that a claude which stays up repeats. */
export function claudeOutput(sessionId: string, echo?: object): TurnOutput {
  const say = (content: object[]) => {
    const message = { role: 'assistant', model: 'scripted', content }
    print({ type: 'assistant', session_id: sessionId, parent_tool_use_id: null, message })
  }
  const permission_denials: object[] = []
  const showCall = (name: string, input: object, call: () => { content: string; is_error: boolean }) => {
    const id = `toolu_${calls++}`
    say([{ type: 'tool_use', id, name, input }])
    const content = [{ type: 'tool_result', tool_use_id: id, ...call() }]
    print({ type: 'user', session_id: sessionId, parent_tool_use_id: null, message: { role: 'user', content } })
  }
  return {
    sessionId,
    begin: () => {
      print({ type: 'system', subtype: 'init', session_id: sessionId, model: 'scripted', cwd: process.cwd() })
      if (echo !== undefined) print({ ...echo, isReplay: true, session_id: sessionId })
    },
    message: (text) => say([{ type: 'text', text }]),
    retry: (attempt) => {
      const failed = { max_retries: 10, retry_delay_ms: 1, error_status: 529, error: 'overloaded' }
      print({ type: 'system', subtype: 'api_retry', attempt, ...failed, session_id: sessionId })
    },
    // Claude repeats the counts with every block of the answer.
    request: ({ input, output }) => {
      const id = `msg_${calls++}`
      for (const text of ['Thinking', ' about it.']) {
        const usage = { input_tokens: input, output_tokens: output }
        const message = { id, role: 'assistant', model: 'scripted', content: [{ type: 'text', text }], usage }
        print({ type: 'assistant', session_id: sessionId, parent_tool_use_id: null, message })
      }
    },
    pieces: (texts) => {
      const show = (event: object) => print({ type: 'stream_event', parent_tool_use_id: null, event })
      show({ type: 'message_start' })
      for (const text of texts) show({ type: 'content_block_delta', delta: { type: 'text_delta', text } })
      say([{ type: 'text', text: texts.join('') }])
    },
    command: (command, run) => {
      showCall('Bash', { command }, () => {
        const { exitCode, output } = run()
        return { content: exitCode === 0 ? output : `Exit code ${exitCode}\n${output}`, is_error: exitCode !== 0 }
      })
    },
    edit: (path, denied, texts) => {
      if (texts !== undefined) {
        const [old_string, new_string] = texts
        return showCall('Edit', { file_path: path, old_string, new_string }, () => ({ content: 'ok', is_error: false }))
      }
      const tool_input = { file_path: path, content: '' }
      if (denied !== undefined)
        permission_denials.push({ tool_name: 'Write', tool_use_id: `toolu_${calls}`, tool_input })
      showCall('Write', tool_input, () => ({ content: denied ?? 'ok', is_error: denied !== undefined }))
    },
    end: (whole, { input, output, cost, fails, limit }) => {
      const answer = limit ?? whole
      say([{ type: 'text', text: answer }])
      paid += cost ?? 0
      print({
        ...{ type: 'result', result: answer, session_id: sessionId, num_turns: 1 },
        subtype: fails ?? 'success',
        is_error: (fails ?? limit) !== undefined,
        permission_denials,
        usage: { input_tokens: input, output_tokens: output },
        ...(cost !== undefined && { total_cost_usd: paid }),
      })
    },
  }
}

const toCommandItem = (command: string, exitCode: number) => ({
  id: `item_${calls++}`,
  command: `/bin/bash -lc '${command}'`,
  status: exitCode === 0 ? 'completed' : 'failed',
})
const toChangeItem = (path: string) => ({
  id: `item_${calls++}`,
  changes: [{ path, kind: 'add' }],
  status: 'completed',
})

/** `used`: the tokens of the thread before this turn, which codex counts on. */
export function codexOutput(sessionId: string, used: { input: number; output: number }): TurnOutput {
  const show = (item: object) => print({ type: 'item.completed', item })
  const message = (text: string) => show({ id: `item_${calls++}`, type: 'agent_message', text })
  return {
    sessionId,
    begin: () => print({ type: 'thread.started', thread_id: sessionId }),
    message,
    retry: (count) => print({ type: 'error', message: `Reconnecting... ${count}/5 (high demand)` }),
    pieces: (texts) => message(texts.join('')),
    request: () => undefined,
    command: (command, run) => {
      const { exitCode, output } = run()
      const item = { ...toCommandItem(command, exitCode), type: 'command_execution' }
      show({ ...item, exit_code: exitCode, aggregated_output: output })
    },
    edit: (path) => show({ ...toChangeItem(path), type: 'file_change' }),
    end: (answer, { input, output, limit }) => {
      if (limit !== undefined) return print({ type: 'turn.failed', error: { message: limit } })
      message(answer)
      used.input += input
      used.output += output
      const usage = { input_tokens: used.input, cached_input_tokens: 0, output_tokens: used.output }
      print({ type: 'turn.completed', usage })
    },
  }
}

/** `used` as above. */
export function appServerOutput(ids: { threadId: string; turnId: string }, used: { input: number; output: number }) {
  const notify = (method: string, params: object) => print({ method, params: { ...ids, ...params } })
  const show = (item: object) => notify('item/completed', { item })
  const message = (text: string) => show({ id: `item_${calls++}`, type: 'agentMessage', text })
  const turn = (status: string) => ({ turn: { id: ids.turnId, status, error: null } })
  return {
    sessionId: ids.threadId,
    begin: () => notify('turn/started', turn('inProgress')),
    message,
    retry: (count) => {
      const error = { message: `Reconnecting... ${count}/5`, additionalDetails: 'high demand' }
      notify('error', { error, willRetry: true })
    },
    pieces: (texts) => message(texts.join('')),
    request: () => undefined,
    command: (command, run) => {
      const { exitCode, output } = run()
      const item = { ...toCommandItem(command, exitCode), type: 'commandExecution' }
      show({ ...item, exitCode, aggregatedOutput: output })
    },
    edit: (path) => show({ ...toChangeItem(path), type: 'fileChange' }),
    end: (answer, { input, output, limit }) => {
      if (limit !== undefined) {
        notify('turn/completed', { turn: { id: ids.turnId, status: 'failed', error: { message: limit } } })
        return
      }
      message(answer)
      used.input += input
      used.output += output
      notify('thread/tokenUsage/updated', {
        tokenUsage: { total: { inputTokens: used.input, outputTokens: used.output } },
      })
      notify('turn/completed', turn('completed'))
    },
  } satisfies TurnOutput
}
