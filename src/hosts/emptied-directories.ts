import type { Host } from './host.ts'
import type { Step } from './plan.ts'

/**
 * The directories that the steps may leave empty, the deepest first. Those that a host is detected by stay, empty or not:
 * that they exist is how a repository says that it uses the host.
 */
export function emptiedDirectories(host: Host, steps: readonly Step[]): Step[] {
  const above = steps.flatMap((step) => (step.do === 'remove' ? ancestors(step.path) : []))
  const staying = host.directories.flatMap((directory) => [directory, ...ancestors(directory)])
  return [...new Set(above)]
    .filter((path) => !staying.includes(path))
    .sort((a, b) => b.split('/').length - a.split('/').length || (a < b ? -1 : 1))
    .map((path) => ({ do: 'remove_directory', path }))
}

function ancestors(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}
