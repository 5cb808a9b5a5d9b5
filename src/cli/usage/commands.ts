import { commandsIn } from '../command.ts'
import { BACKEND, JSON_FLAG } from '../words/shared-flags.ts'

export const USAGE_COMMANDS = commandsIn({ group: 'Prompts' }, [
  {
    words: ['usage'],
    otherNames: ['cost', 'stats'],
    summary: 'Show tokens, cost and executions by day, API key, backend and model',
    description: `Counts the prompts of all your drover processes when they end, on the command line and on the server, including
ephemeral ones. Dry runs are not counted. The cost is what agents report, or their tokens at list
prices, which is marked with ~ (setting prices). Days are in UTC. Usage is kept for 400 days.`,
    flags: [
      {
        name: 'since',
        value: 'DAY',
        description: 'First day: 2026-01-31, yesterday, or an age such as 7d (default: the last 30 days)',
      },
      { name: 'until', value: 'DAY', description: 'Last day, in the same forms (default: today)' },
      {
        name: 'by',
        value: 'FIELDS',
        description: 'How to group the rows: any of day, key, backend and model, separated by commas (default: all)',
      },
      { name: 'key', value: 'NAME', description: 'Only the API key with this name' },
      { ...BACKEND, description: 'Only this agent' },
      { name: 'model', short: 'm', value: 'NAME', description: 'Only this model' },
      { name: 'csv', description: 'Print the rows as CSV, with exact amounts, for a spreadsheet' },
      JSON_FLAG,
    ],
    examples: {
      'drover usage': 'the last 30 days',
      'drover usage --since 7d --by backend': 'what each agent has used in a week',
      'drover usage --since 2026-01-01 --by key': 'what each API key has used since then',
      'drover usage --since 7d --csv > usage.csv': 'a week for a spreadsheet',
      'drover usage --by day --json | jq .totals.cost_usd': 'the cost of the last 30 days',
    },
    load: () => import('./usage-command.ts'),
  },
  {
    words: ['budgets'],
    summary: 'Show what was used of each budget, and when it resets',
    description: `Budgets are in the setting budgets and in the entries of API keys ("drover keys create --budget"). Prompts are refused by the same
figures. ~ marks a sum of which a part is estimated, because a process was killed or a cost is unknown. Times are in UTC.`,
    flags: [JSON_FLAG],
    examples: {
      'drover budgets': 'what was used of each',
      "drover budgets --json | jq '.budgets[] | select(.used >= .limit)'": 'those that are spent',
    },
    load: async () => ({ run: (await import('./usage-command.ts')).listBudgets }),
  },
])
