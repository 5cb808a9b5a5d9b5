/** Finds what was added to a test so that it ends before its assertions, or cannot fail. Pure. */
import type { ReviewFlag } from '../../record/drive-event.shape.ts'
import { ASSERT_STATEMENT } from './find-assertions.ts'
import { readSource, type Source } from './source-text.ts'

/** Ends the whole process, whatever was asserted. In strings it does nothing. */
const EXITS =
  /\b(?:process\.(?:exit|reallyExit|abort)|os\._exit|sys\.exit|os\.Exit|process::exit|System\.exit|Runtime\.getRuntime\(\)\.halt)\s{0,8}\(|\bprocess\.exitCode\s{0,8}=|(?:^|\s)(?:exit|quit)\(\s{0,8}0?\s{0,8}\)/
const SHELL_EXITS = /\|\|\s{0,8}(?:true|:)(?:\s|$|["'`;)])|^\s{0,80}exit(?:\s+0)?\s*$/
const SHELL = /\.(?:sh|bash|bats|zsh)$/
const RETURN = /(?:^|[\s):{])return(?: (?:undefined|null|None|nil|true|True|void 0|\(\)))?;?\s?\}?$/
const CASE =
  /^\s{0,80}(?:(?:it|test|describe)(?:\.\w{1,20}){0,2}\s?[(`]|(?:async )?def test|func Test|(?:pub )?(?:async )?fn |(?:@Test\s)?(?:public |private |protected |static |final |fun )*(?:void |fun ))/
const ASSERTS = new RegExp(
  [String.raw`\b(?:expect|assert\w{0,80}|require)\b|\bt\.(?:Errorf?|Fatalf?)\(`, ASSERT_STATEMENT].join('|'),
)
const OPENS = /^\s*(?:\}?\s?else\b|if\b|try\b|with\b|switch\b|match\b)/
/** In Go, the condition around it is what it asserts. */
const CONDITIONAL = /\bt\.(?:Errorf?|Fatalf?)\(/
/** Something else takes the place of what asserts or starts tests. */
const REPLACES =
  /(?:^|[\s;])(?:(?:const|let|var)\s+(?:expect|assert|it|test|describe)\s?=(?!\s?(?:await |\(?require|import|\w{1,40}\.extend\b))|(?:function|class)\s+(?:expect|assert|it|test|describe)\b|(?:globalThis|global|window)\.(?:expect|assert|it|test|describe)\s?=)/
/** What may not run, may run without an effect, or whose failure is caught. */
const ENCLOSES =
  /^\s*(?:\}?\s?else\b|if\b|while\b|try\b|switch\b|case\b|(?:const|let|var)\s+\w{1,80}\s?=.*(?:=>|\bfunction\b)|(?:async )?function\b|(?:async )?def (?!test)|func\b(?! Test))/
const SHOWN_CHARACTERS = 80
/** A longer line is only looked at as far as this. */
const MAX_LINE = 2000

export type TextChange = { readonly path: string; readonly before: string; readonly after: string }

export function findEarlyEnds({ path, before, after }: TextChange): ReviewFlag[] {
  const old = toLines(before, path)
  const now = toLines(after, path)
  const known = new Set(old.map(({ code }) => code.trim()))
  const isNew = ({ code }: Line) => !known.has(code.trim())
  const flag = (line: Line): ReviewFlag => {
    const detail = `${path}:${line.number}: it may end before its assertions: \`${line.code.trim().slice(0, SHOWN_CHARACTERS)}\``
    return { flag: 'test_ends_early', detail: detail.toWellFormed(), path, line: line.number }
  }
  const exits = now.filter((line) => isNew(line) && endsProcess(line, path))
  const replaced = now.filter((line) => isNew(line) && REPLACES.test(line.bare))
  return [...exits, ...replaced, ...findReturns(now, { isNew, known }), ...findEnclosing(now, { isNew, known })].map(
    flag,
  )
}

type Line = { readonly number: number; readonly code: string; readonly bare: string; readonly indent: number }

/** Without comments and empty lines. */
function toLines(text: string, path: string): Line[] {
  const { code, bare }: Source = readSource(text, path)
  const bareLines = bare.split('\n')
  return code
    .split('\n')
    .map((line, at): Line => {
      const short = line.slice(0, MAX_LINE)
      const indent = short.length - short.trimStart().length
      return { number: at + 1, code: short.trimEnd(), bare: (bareLines[at] ?? '').slice(0, MAX_LINE).trimEnd(), indent }
    })
    .filter(({ code: each }) => each.trim() !== '')
}

function endsProcess({ bare, code }: Line, path: string): boolean {
  return SHELL.test(path) ? SHELL_EXITS.test(code) : EXITS.test(bare)
}

type Facts = { readonly isNew: (line: Line) => boolean; readonly known: ReadonlySet<string> }

/** A test case that is being read. */
type Case = {
  readonly opener: Line
  /** The indentation of its statements. */
  body?: number
  /** The last line of them. */
  atBody?: Line
  early?: Line
}

/** A new `return` without a value in a test case, in front of an assertion that was there before. One of each case. */
function findReturns(lines: readonly Line[], facts: Facts): Line[] {
  const found: Line[] = []
  let inCase: Case | undefined
  for (const line of lines) {
    if (inCase !== undefined && line.indent <= inCase.opener.indent) inCase = undefined
    if (CASE.test(line.bare)) inCase = { opener: line }
    else if (inCase !== undefined && endsAt(line, inCase, facts)) {
      found.push(...(inCase.early === undefined ? [] : [inCase.early]))
      inCase = undefined
    }
  }
  return found
}

/** A new line that encloses an assertion which was there before. One of each. */
function findEnclosing(lines: readonly Line[], { isNew, known }: Facts): Line[] {
  const found = new Set<Line>()
  /** The lines around the one that is read, each with a larger indentation than the one before. */
  const around: Line[] = []
  for (const line of lines) {
    while ((around.at(-1)?.indent ?? -1) >= line.indent) around.pop()
    const enclosing = around.at(-1)
    const isKnown = ASSERTS.test(line.bare) && !CONDITIONAL.test(line.bare) && known.has(line.code.trim())
    if (isKnown && enclosing !== undefined && isNew(enclosing) && isEnclosing(enclosing)) found.add(enclosing)
    if (isNew(line) && isOneLine(line, known)) found.add(line)
    around.push(line)
  }
  return [...found]
}

function isEnclosing({ bare }: Line): boolean {
  return ENCLOSES.test(bare) && !CASE.test(bare)
}

/** `if (never) expect(a).toBe(1)`, of which the second part was a line before. */
function isOneLine({ bare, code }: Line, known: ReadonlySet<string>): boolean {
  const at = ASSERTS.exec(bare)?.index ?? 0
  return (
    at > 0 &&
    ENCLOSES.test(bare) &&
    known.has(
      code
        .slice(at)
        .replace(/\s?\}.*$/, '')
        .trim(),
    )
  )
}

/** Notes a return, and tells whether an assertion follows it. */
function endsAt(line: Line, inCase: Case, { isNew, known }: Facts): boolean {
  inCase.body ??= line.indent
  if (line.indent <= inCase.body) inCase.atBody = line
  const isOfCase = line.indent <= inCase.body || OPENS.test(inCase.atBody?.bare ?? '')
  if (isOfCase && RETURN.test(line.bare.slice(-60)) && isNew(line)) {
    inCase.early ??= line
    return false
  }
  return inCase.early !== undefined && ASSERTS.test(line.bare) && known.has(line.code.trim())
}
