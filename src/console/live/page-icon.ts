/** The icon of the tab, which shows whether something works or needs the user. The page names one file for each. */

type IconState = 'idle' | 'working' | 'needs'

const link = () => document.querySelector<HTMLLinkElement>('link[rel=icon]')

export function iconOf(state: IconState): string {
  return link()?.dataset[state] ?? ''
}

export function showIcon(state: IconState): void {
  link()?.setAttribute('href', iconOf(state))
}
