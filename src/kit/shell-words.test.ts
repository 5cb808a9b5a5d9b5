import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteWord, splitCommand } from './shell-words.ts'

describe('a quoted word', () => {
  it.each([
    ['plain', 'plain'],
    ['--flag=value', '--flag=value'],
    ['=x', "'=x'"],
    ['', "''"],
    ['two words', "'two words'"],
    ["it's", "'it'\\''s'"],
    ['a\nb', "$'a\\nb'"],
    ['~', "'~'"],
  ])('%j is %s', (word, quoted) => {
    expect(quoteWord(word)).toBe(quoted)
  })

  it('is the same word for bash', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 20 }), (strings) => {
        const words = strings.map((each) => each.replaceAll('\0', ''))
        const script = words.map((word) => `printf '%s\\0' ${quoteWord(word)}`).join('\n')
        const said = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env: {} })
        expect(said.split('\0').slice(0, -1)).toEqual(words)
      }),
      { numRuns: 20 },
    )
  })
})

describe('splitCommand', () => {
  it.each([
    ['npm test', ['npm', 'test']],
    ['  npm \t test  ', ['npm', 'test']],
    ['sh -c \'npm test && echo "$HOME" | cat\'', ['sh', '-c', 'npm test && echo "$HOME" | cat']],
    ['node -e "a \\"b\\" \\$c \\n"', ['node', '-e', 'a "b" $c \\n']],
    ['a\'b\'"c"d', ['abcd']],
    ["''", ['']],
    ['a\\ b \\$c', ['a b', '$c']],
    ['eslint src/*.ts --rule={a,b}', ['eslint', 'src/*.ts', '--rule={a,b}']],
    ['', []],
    ['npm \\\n test "a\\\nb"', ['npm', 'test', 'ab']],
    ['echo \'$a\' "\\`b" c#d #e', ['echo', '$a', '`b', 'c#d', '#e']],
  ])('splits %j', (line, words) => {
    expect(splitCommand(line)).toEqual({ words })
  })

  it.each([
    ['npm test && npm run lint', '"&" needs a shell'],
    ['npm test | tail', '"|" needs a shell'],
    ['npm test > log', '">" needs a shell'],
    ['echo $HOME', '"$" needs a shell'],
    ['echo "$HOME"', '"$" and "`" in double quotes need a shell'],
    ['echo `date`', '"`" needs a shell'],
    ['a\nb', '"\\n" needs a shell'],
    ["echo 'a", "a ' has no end"],
    ['echo "a\\"', 'a " has no end'],
    ['echo \\', 'it ends with a backslash'],
    ['echo a\0b', 'it has a NUL'],
    ['echo "`date`"', '"$" and "`" in double quotes need a shell'],
  ])('refuses %j', (line, problem) => {
    expect(splitCommand(line)).toEqual({ problem })
  })
})
