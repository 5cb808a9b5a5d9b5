/** Detects files whose line endings git converted, which makes them look edited. Pure. */
import { digest } from '../kit/digest.ts'
import { type FoundFiles, foundAt } from './found-files.ts'
import { type Host, manifestPath, SENTINEL, sentinelPath } from './host.ts'
import { EARLIER_FILES } from './hosts.ts'
import type { Installed } from './inspect-host.ts'

/** The modified files of a host, if all of them differ only in CRLF line endings; otherwise none. */
export function convertedFiles(host: Host, { files, sentinel }: Installed, found: FoundFiles): readonly string[] {
  const changed = files.filter(({ status }) => status === 'modified')
  const wanted = [
    ...changed.map(({ path, file }) => {
      const earlier = EARLIER_FILES.filter((each) => each.path === path).map((each) => each.digest)
      return { path, digests: file === undefined ? earlier : [digest(file.text), ...earlier] }
    }),
    ...(sentinel === 'modified' ? [{ path: sentinelPath(host), digests: [digest(SENTINEL)] }] : []),
  ]
  const isConverted = ({ path, digests }: (typeof wanted)[number]) => {
    const there = foundAt(found, path)
    return there.is === 'regular' && digests.includes(digest(withoutReturns(there.bytes)))
  }
  return wanted.every(isConverted) ? wanted.map(({ path }) => path) : []
}

export function describeConverted(paths: readonly string[]): string {
  const files = paths.length === 1 ? '1 file has' : `${paths.length} files have`
  return `${files} converted line endings and no other change; git does that with core.autocrlf`
}

/** The lines for `.gitattributes` that keep git from converting the files of a host. */
export function attributesFor(host: Host, { files }: Pick<Installed, 'files'>): readonly string[] {
  const paths = [...files.map(({ path }) => path), manifestPath(host), sentinelPath(host)]
  return [...new Set(paths.map(toPattern))].map((pattern) => `${pattern} text eol=lf`)
}

/** Most files of drover are in a folder `drover`, or in a folder or file whose name starts with `drover-`. */
function toPattern(path: string): string {
  const parts = /^(.*?\/)(drover|drover-[^/]*)(\/.*)?$/.exec(path)
  if (parts === null) return path
  const [, above = '', name = '', below] = parts
  return `${above}${name === 'drover' ? name : 'drover-*'}${below === undefined ? '' : '/**'}`
}

function withoutReturns(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
}
