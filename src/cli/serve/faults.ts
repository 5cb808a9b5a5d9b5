import { defineFault } from '../../kit/fault.ts'

export const storeNotShared = defineFault({
  code: 'store_not_shared',
  kind: 'usage',
  when: 'Prompts shall run in another process than the one that takes requests (`drover work`, `drover serve --no-work`), and `store.url` names no PostgreSQL store.',
  message: (d: { command: 'drover work' | 'drover serve --no-work' }) => {
    const does = d.command === 'drover work' ? 'takes prompts from' : 'puts prompts into'
    return `${d.command} ${does} a PostgreSQL store; give --store postgres://USER@HOST/DATABASE, or set store.url`
  },
})
