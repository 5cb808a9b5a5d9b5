/** The words of bubblewrap if a kernel, a container or AppArmor does not let it create namespaces. */
const NO_NAMESPACES = /namespace|uid map|gid map|Operation not permitted|Permission denied/i

/** Why no command was started, from what bubblewrap printed. Pure. */
export function explainFailure(stderr: string): string {
  const said = stderr.trim().split('\n').at(-1) ?? ''
  const why = NO_NAMESPACES.test(said)
    ? 'this kernel or container does not allow user namespaces; allow them, or run drover outside of the container'
    : 'bubblewrap cannot start a command; version 0.7 or newer is needed'
  return `${why} (${said})`
}
