/** Small pictures, drawn in the color of the text beside them. They are decoration: a word says the same. */

const PATHS = {
  terminal: 'M2.5 3.5h11v9h-11zM5 6.5 7 8 5 9.5M8.5 10H11',
  edit: 'M3 13h2.5l7-7L10 3.5l-7 7zM8.7 4.8l2.5 2.5',
  file: 'M4 2.5h5L12.5 6v7.5H4zM9 2.5V6h3.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.4 10.4 13.5 13.5',
  globe: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM2.5 8h11M8 2.5c3.2 3.3 3.2 7.7 0 11-3.2-3.3-3.2-7.7 0-11z',
  tool: 'M9.5 6.5a3 3 0 0 1 4-3L11.5 5.5l1 1 2-2a3 3 0 0 1-4 3.5L6 12.5a1.4 1.4 0 0 1-2.5-2z',
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  question: 'M5.8 6a2.3 2.3 0 1 1 3.4 2c-.8.5-1.2.9-1.2 1.8M8 12.6v.1',
  box: 'M2.5 5 8 2.5 13.5 5v6L8 13.5 2.5 11zM2.5 5 8 7.5 13.5 5M8 7.5v6',
  eye: 'M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  compass: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM10.5 5.5 9 9l-3.5 1.5L7 7z',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  pause: 'M5.5 4v8M10.5 4v8',
  branch:
    'M4.5 5v6M4.5 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 14a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5c0 3-7 1.5-7 4.5',
  comment: 'M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z',
} as const
export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
