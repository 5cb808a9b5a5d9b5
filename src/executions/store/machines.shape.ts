/** The machines of a PostgreSQL store, as they are shown. */
import { Type } from 'typebox'
import { literals, type Message, namedObject } from '../../kit/shape.ts'

const text = (description: string) => Type.String({ description })
const list = (description: string) => Type.Array(Type.String(), { description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

export const Machine = namedObject('Machine', {
  name: text('Its name: `store.machine`, or its host name.'),
  state: literals(['working', 'draining', 'drained', 'gone'], {
    description:
      '`draining`: it takes no more work, and finishes what it runs. `drained`: it has. `gone`: no worker runs there.',
  }),
  seen_at: Type.String({ format: 'date-time', description: 'When a worker there last gave a sign of life, in UTC.' }),
  labels: list('The labels of its workers.'),
  backends: list('The agents of its workers.'),
  slots: count('How many prompts it runs at the same time.'),
  running: count('How many it runs now.'),
  runs: count('How many driven runs it drives now.'),
  claims: count('How many prompts it has taken from the queue.'),
  lost: count('How many executions it lost, because a process there died.'),
})
export type Machine = Message<typeof Machine>

export const MachineList = namedObject('MachineList', {
  machines: Type.Array(Machine, { description: 'By name. Empty without PostgreSQL.' }),
  waits_for_labels: Type.Array(
    Type.Object({ label: text('The label.'), waiting: count('How many prompts wait for it.') }),
    { description: 'Prompts that wait for a machine with a label that no worker has.' },
  ),
})
export type MachineList = Message<typeof MachineList>

export const ForgottenMachine = namedObject('ForgottenMachine', {
  name: text('Its name.'),
  runs_removed: count('How many copies of its driven runs were removed.'),
})
export type ForgottenMachine = Message<typeof ForgottenMachine>
