/** The source of a value. Lines and columns count from 1. */
export type Origin =
  | { readonly from: 'default' }
  | { readonly from: 'file'; readonly file: string; readonly line: number; readonly column: number }
  | { readonly from: 'environment'; readonly variable: string }
  | { readonly from: 'flag'; readonly flag: string }
  /** The settings that a program passes to the library. */
  | { readonly from: 'program' }

/** Formats an origin: `default`, `--port`, `DROVER_SERVER_PORT` or `/home/me/.drover/config.yaml:3:5`. */
export function formatOrigin(origin: Origin): string {
  switch (origin.from) {
    case 'default':
      return 'default'
    case 'file':
      return `${origin.file}:${origin.line}:${origin.column}`
    case 'environment':
      return origin.variable
    case 'flag':
      return origin.flag
    case 'program':
      return 'the option config'
  }
}

/** Sorts problems of a file by line. */
export function byLine(one: { origin: Origin }, other: { origin: Origin }): number {
  return lineOf(one.origin) - lineOf(other.origin)
}

/** The line in the file; 0 for other origins. */
function lineOf(origin: Origin): number {
  return origin.from === 'file' ? origin.line : 0
}
