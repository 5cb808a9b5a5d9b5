import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { resolveReferences } from './secret-reference.ts'

const resolve = (text: string) => resolveReferences(text, { TOKEN: 'of $& a variable', EMPTY: '' }, 'it')

describe('a reference to a secret', () => {
  it.each([
    ['Bearer ${TOKEN}', 'Bearer of $& a variable'],
    ['nothing', 'nothing'],
    ['$TOKEN and ${not-a-name}', '$TOKEN and ${not-a-name}'],
  ])('%s is replaced', (text, resolved) => {
    expect(resolve(text)).toBe(resolved)
  })

  it('may be a file, whose last line end is left out', () => {
    const file = join(temporaryDirectory(), 'token')
    writeFileSync(file, 'of a file\n')
    expect(resolve(`\${file:${file}}, \${TOKEN}`)).toBe('of a file, of $& a variable')
  })

  it.each(['${MISSING}', '${EMPTY}', '${file:/nowhere/token}'])('%s that leads nowhere is named', (text) => {
    expect(() => resolve(`a ${text}`)).toThrow(`it needs ${text}, which is missing or empty`)
  })
})
