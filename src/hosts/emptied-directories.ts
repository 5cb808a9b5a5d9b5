import type { Step } from './plan.ts'

/**
 * The directories that the steps may leave empty, the deepest first. That includes those that a host is detected by: an
 * empty one, which git does not keep either, is no sign that anybody uses the host.
 */
export function emptiedDirectories(steps: readonly Step[]): Step[] {
  const above = steps.flatMap((step) => (step.do === 'remove' ? ancestors(step.path) : []))
  return [...new Set(above)]
    .sort((a, b) => b.split('/').length - a.split('/').length || (a < b ? -1 : 1))
    .map((path) => ({ do: 'remove_directory', path }))
}

function ancestors(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}
