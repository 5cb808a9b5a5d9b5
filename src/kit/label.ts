/** Labels: what machines are or have, and what prompts and directories require. Pure. */
export const LABEL_PATTERN = '^[a-z0-9][a-z0-9._-]{0,62}$'
export const LABEL_RULE = 'small letters, digits, `.`, `_` and `-`, at most 63 characters'

export function isLabel(text: string): boolean {
  return new RegExp(LABEL_PATTERN).test(text)
}

/** The parts of `DIRECTORY=LABEL`. A directory may have a `=` in its name. */
export function parseLabelRule(rule: string): { directory: string; label: string } {
  const at = rule.lastIndexOf('=')
  return { directory: rule.slice(0, Math.max(0, at)), label: rule.slice(at + 1) }
}

/** The label that work in a directory requires: that of the request, or of the innermost directory with a rule. */
export function requiredLabel(
  { label, workdir }: { label?: string | undefined; workdir: string | undefined },
  rules: readonly string[],
): string | undefined {
  if (label !== undefined || workdir === undefined || rules.length === 0) return label
  const around = rules.map(parseLabelRule).filter(({ directory }) => isInside(workdir, directory))
  return around.toSorted((a, b) => b.directory.length - a.directory.length)[0]?.label
}

/** By name, as the claims of PostgreSQL do. */
export function isInside(path: string, directory: string): boolean {
  const withSlash = (text: string) => text.replace(/\/*$/, '/')
  return withSlash(path).startsWith(withSlash(directory))
}
