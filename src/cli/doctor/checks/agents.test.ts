import { expect, it } from 'vitest'
import { assessAll } from './agents.ts'

const textOf = (url: string) => assessAll([], { store: { url, schema: '' } as never }).map(({ todo }) => todo)

it('a machine without agents is told where that matters', () => {
  expect(textOf('sqlite:')).toEqual([expect.stringContaining('install one, for example')])
  expect(textOf('postgres://db/drover')).toEqual([
    'install one where prompts run; a machine with "drover serve --no-work" needs none',
  ])
})
