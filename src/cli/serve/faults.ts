import { defineFault } from '../../kit/fault.ts'

export const storeNotShared = defineFault({
  code: 'store_not_shared',
  kind: 'usage',
  when: 'The command `drover work` takes prompts from a PostgreSQL store, and `store.url` names none.',
  message: () =>
    'drover work takes prompts from a PostgreSQL store; give --store postgres://USER@HOST/DATABASE, or set store.url',
})
