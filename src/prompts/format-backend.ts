/** The name of an agent for people, marked if the demo agent answers for it. Pure. */
export function formatBackend({ backend = '-', is_demo: isDemo }: { backend?: string; is_demo?: boolean }): string {
  return isDemo === true ? `${backend} (demo)` : backend
}
