/** The page for the morning: what became of all driven runs of a repository since some time. */
import { Type } from 'typebox'
import { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { literals, type Message, meaning, named } from '../../kit/shape.ts'
import { NIGHT_SECTIONS } from './night-sections.ts'

const text = (description: string) => Type.String({ description })
const list = <T extends Parameters<typeof Type.Array>[0]>(items: T, description: string) =>
  Type.Array(items, { description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const Spent = Type.Object({
  tokens: count('Tokens.'),
  cost_microusd: count('Millionths of a dollar, as far as costs are known.'),
  priced_microusd: Type.Optional(count('The part of it that no agent reported: tokens at list prices.')),
  unknown_cost_attempts: Type.Optional(count('Attempts that are missing in the cost. Absent if there is none.')),
  time_ms: count('The time of agents and checks.'),
})

export const NightReport = named(
  'NightReport',
  Type.Object({
    since: Type.String({ format: 'date-time', description: 'Runs that have changed since then are shown.' }),
    runs: list(
      Type.Object({
        run_id: text('Its id.'),
        title: text('The first line of its goal.'),
        section: literals(NIGHT_SECTIONS, { description: 'Where it is on the page.' }),
        verdict: RunVerdict,
        question: Type.Optional(text('What it asks, with its line breaks, if it waits for an answer.')),
        delivered_before: Type.Optional(
          Type.Object(
            { branch: text('The branch.'), commit: text('The commit that was delivered.') },
            { description: 'What an earlier round has delivered, if the run has delivered nothing since.' },
          ),
        ),
        spent: meaning('What it has used, with all of its rounds.', Spent),
        paths: list(Type.String(), 'The files that it changes.'),
      }),
      'Oldest change first. A run that another one continues is a part of that one.',
    ),
    spent: meaning('What all of them have used.', Spent),
    merge: Type.Optional(
      Type.Object(
        {
          order: list(Type.String(), 'Branches that merge without conflicts, one after the other.'),
          conflicts: list(
            Type.Object({
              branch: text('The branch.'),
              paths: list(Type.String(), 'The files in conflict.'),
            }),
            'The other branches.',
          ),
          into: Type.Optional(text('The branch that they are merged into. Absent if none is checked out.')),
        },
        {
          description: 'In which order delivered branches can be merged. Absent: nothing to merge, or git is too old.',
        },
      ),
    ),
    overlaps: list(
      Type.Object({ path: text('The file.'), run_ids: list(Type.String(), 'The runs that change it.') }),
      'Files that several runs change.',
    ),
  }),
  'What became of the driven runs of a repository.',
)
export type NightReport = Message<typeof NightReport>
export type NightRun = NightReport['runs'][number]

export const NightReports = named(
  'NightReports',
  Type.Object({
    since: NightReport.properties.since,
    repositories: list(
      Type.Object({
        repository: text('The repository.'),
        machine: Type.Optional(text('The machine that has it, if there are many.')),
        report: NightReport,
      }),
      'Those with runs that have changed since then.',
    ),
  }),
  'What became of driven runs, by repository.',
)
export type NightReports = Message<typeof NightReports>
