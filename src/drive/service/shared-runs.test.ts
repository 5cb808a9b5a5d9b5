import { expect, it } from 'vitest'
import { type Caller, USER } from '../../prompts/caller.ts'
import { performCall } from './remote-call.ts'
import { SharedRuns, type SharedRunsOptions } from './shared-runs.ts'

const RUN = '11111111-2222-4333-8444-555555555555'
const CLIENT: Caller = { is: 'client', role: 'operator', key: { id: 'k', name: 'ci' } }

/** Runs of which one is on another machine. Returns what is asked of that machine, too. */
function shareRuns(userElsewhere: Caller | undefined) {
  const asked: Caller[] = []
  const runs = new SharedRuns({
    local: { depthOf: () => 0, rightsOf: (by: Caller) => by, reader: { findHere: () => undefined } },
    board: { machine: 'here', find: async () => [{ id: RUN, machine: 'there', askedBy: 'user' }] },
    calls: {
      ask: async (_: string, call: string) => {
        asked.push(JSON.parse(call).by)
        return { is: 'answered', answer: JSON.stringify({ value: { id: RUN } }) }
      },
    },
    isWorker: true,
    userElsewhere,
  } as unknown as SharedRunsOptions)
  return { runs, asked }
}

it('the user of a worker asks nothing of other machines', async () => {
  const { runs, asked } = shareRuns(undefined)
  await expect(runs.stop(USER, RUN)).rejects.toMatchObject({ code: 'drive_not_permitted' })
  await runs.stop(CLIENT, RUN)
  expect(asked).toEqual([{ ...CLIENT, depth: 0 }])
})

it('a machine does nothing for a caller that poses as its user', async () => {
  const done: Caller[] = []
  const call = (by: Caller) =>
    performCall({ by, starter: undefined, work: { do: 'stop', id: RUN } }, async (_, caller) => {
      done.push(caller)
      return { id: RUN } as never
    })
  expect(await call(USER)).toContain('"drive_not_permitted"')
  expect(await call(CLIENT)).toContain(RUN)
  expect(done).toEqual([CLIENT])
})
