/** The agent, marked if the demo agent answers for it. */
export function formatBackend({ backend = '-', is_demo: isDemo }: { backend?: string; is_demo?: true }): string {
  return isDemo === true ? `${backend} (demo)` : backend
}
