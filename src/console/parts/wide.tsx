import type { ComponentChildren } from 'preact'

/** For tables that may be wider than the page. */
export function Wide({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <div class="wide" tabIndex={0}>
      {children}
    </div>
  )
}
