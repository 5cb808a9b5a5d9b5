/** What can be started: a prompt, or a change that agents do. */
export function NewTabs({ current }: { current: 'prompt' | 'change' }) {
  return (
    <nav class="tabs" aria-label="What to start">
      <a href="#/new" aria-current={current === 'prompt' ? 'page' : undefined}>
        Prompt
      </a>
      <a href="#/new/change" aria-current={current === 'change' ? 'page' : undefined}>
        Change in a repository
      </a>
    </nav>
  )
}
