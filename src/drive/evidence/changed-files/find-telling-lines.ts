/** Finds new lines that say less about the work than its checks seem to: they hold only here, or turn a check off. Pure. */

type TellingLine = { readonly what: string; readonly line: number }

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\bDROVER_[A-Z]{2,}/, 'it reads a variable that only drover sets'],
  [/@ts-nocheck\b/, 'it turns off the type checker for the file'],
  [/\/\*\s{0,8}eslint-disable(?!-(?:next-)?line)\b/, 'it turns off the linter'],
  [/\bbiome-ignore-all\b|\boxlint-disable(?!-(?:next-)?line)\b/, 'it turns off the linter for the file'],
  [/#\s{0,8}(?:mypy:\s{0,4}ignore-errors|pyright:\s{0,4}basic)\b/, 'it turns off the type checker for the file'],
  [/#\s{0,8}(?:flake8|ruff):\s{0,4}noqa\b|#\s{0,8}pylint:\s{0,4}skip-file\b/, 'it turns off the linter for the file'],
  [/#!\[allow\(/, 'it turns off the linter for the file'],
]
/** Texts for people may name all of it. */
const PROSE = /\.(?:md|mdx|markdown|txt|rst|adoc)$/i
/** A longer line is generated, and is looked at only as far as this. */
const MAX_LINE = 4000
/** Of one file: a person who looks sees the others. */
const MAX_LINES = 3

type Changed = { readonly path: string; readonly before: string | undefined; readonly after: string | undefined }

/** `worktree` is the root of the worktree, which is removed after the work. */
export function findTellingLines({ path, before, after = '' }: Changed, worktree: string): TellingLine[] {
  if (PROSE.test(path)) return []
  const known = new Set((before ?? '').split('\n'))
  const found = after.split('\n').flatMap((text, at): TellingLine[] => {
    if (known.has(text)) return []
    const what = text.includes(worktree)
      ? 'it names the worktree of the run, which is removed'
      : KINDS.find(([pattern]) => pattern.test(text.slice(0, MAX_LINE)))?.[1]
    return what === undefined ? [] : [{ what, line: at + 1 }]
  })
  return found.slice(0, MAX_LINES)
}
