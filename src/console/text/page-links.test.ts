import { expect, it } from 'vitest'
import { toPageTitle } from './page-links.ts'

it.each([
  [{ page: 'home', id: '', waiting: 0 }, 'drover'],
  [{ page: 'home', id: '', waiting: 2 }, '(2) drover'],
  [{ page: 'runs', id: '', waiting: 0 }, 'Runs – drover'],
  [{ page: 'new', id: 'change', waiting: 1 }, '(1) New change – drover'],
  [{ page: 'runs', id: '1', waiting: 0, subject: 'Show the\nwind' }, 'Show the wind – drover'],
  [{ page: 'sessions', id: '1', waiting: 0, subject: '' }, 'Sessions – drover'],
  [{ page: 'executions', id: '1', waiting: 0, subject: 'w'.repeat(61) }, `${'w'.repeat(60)}… – drover`],
  [{ page: 'executions', id: '1', waiting: 0 }, 'drover'],
])('the title of %j is %s', (shown, title) => expect(toPageTitle(shown)).toBe(title))
