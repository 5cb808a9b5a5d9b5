import { type Host, manifestPath, sentinelPath } from './host.ts'

/** Leaves to a person what only a person can decide: which of the files that look generated are still as drover left them. */
export function sayMarkerOnly(host: Host): string {
  const surface = host.surfaces.length > 0 ? ` --surface ${host.surfaces.join('|')}` : ''
  return `${sentinelPath(host)} is there and ${manifestPath(host)} is not, so nobody can say which files are drover's, and none is touched; back up what you need, move the sentinel and the drover files that you want made anew out of the way, then run drover install --tool ${host.id}${surface}; files that stay will not be adopted`
}
