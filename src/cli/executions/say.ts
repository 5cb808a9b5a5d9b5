import { shortExecutionId } from '../../executions/store/execution-id.ts'
import { findRunsAround } from '../../kit/process/processes-around.ts'
import { userName } from '../../kit/user-name.ts'
import { USER } from '../../prompts/caller.ts'
import { runOfOwnAgent } from '../../runs/faults.ts'
import type { RunCommand } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { readText } from '../prompt/read-prompt.ts'
import { withExecutions } from './open-executions.ts'

export const run: RunCommand = async (invocation) => {
  const { args, runtime } = invocation
  const [named = '', ...words] = args
  const { text } = await readText({ ...invocation, args: words })
  return await withExecutions(invocation, async ({ drover }) => {
    const { id, parent_id: run = '' } = await drover.executions.find(USER, named)
    // What is said in a run counts as a decision of its user.
    if (findRunsAround(runtime.env).has(run)) throw runOfOwnAgent({ run_id: run })
    const sent = await drover.executions.say(USER, id, { text, by: { via: 'terminal', name: userName() } })
    const when = sent.delivered === 'now' ? 'has the message' : 'gets the message with the next prompt of its session'
    return await printResult(invocation, sent, () => `The agent of ${shortExecutionId({ id })} ${when}.\n`)
  })
}
