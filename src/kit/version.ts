/** Versions of other programs: parse and compare. Pure. */

export type Version = readonly [major: number, minor: number, patch: number]

/** The first version in the output of a program: `git version 2.39.5 (Apple Git-154)`, `codex-cli 0.166.0`, `v24.21.0`. */
export function findVersion(text: string): Version | undefined {
  const [, major, minor, patch = '0'] = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? []
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)]
}

export function isOlder(one: Version, other: Version): boolean {
  const at = one.findIndex((part, index) => part !== other[index])
  return at !== -1 && Number(one[at]) < Number(other[at])
}

export function formatVersion(version: Version): string {
  return version.join('.')
}
