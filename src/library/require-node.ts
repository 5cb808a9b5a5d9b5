/** An old Node can load the library so far that it gets this message, instead of a syntax error. */
const REQUIRED = 24

export function requireNode(version = process.versions.node): void {
  if (Number(version.split('.')[0]) >= REQUIRED) return
  throw new Error(
    `drover needs Node ${REQUIRED} or newer, but this is Node ${version}: run your program with a newer Node`,
  )
}
