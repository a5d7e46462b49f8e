/** Paths on a grid of 16 by 16, drawn in the colour of the surrounding text. Each has one meaning. */
const paths = {
  globe:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c1.7 1.7 2.5 3.7 2.5 6S9.7 12.3 8 14C6.3 12.3 5.5 10.3 5.5 8S6.3 3.7 8 2z',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3',
  // Dots of two pixels on whole pixels, so that no edge makes them paler.
  more: 'M3 7.6a.4.4 0 1 0 0 .8.4.4 0 0 0 0-.8zM8 7.6a.4.4 0 1 0 0 .8.4.4 0 0 0 0-.8zM13 7.6a.4.4 0 1 0 0 .8.4.4 0 0 0 0-.8z',
  down: 'M4 6l4 4 4-4',
  left: 'M10 4L6 8l4 4',
  people:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5a4.5 4.5 0 0 1 9 0M11 3.2a2.5 2.5 0 0 1 0 4.6M12 9.6a4.5 4.5 0 0 1 2.5 3.9',
  person: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14a5.5 5.5 0 0 1 11 0',
  folder:
    'M2 4.5A1.5 1.5 0 0 1 3.5 3h2.6l1.5 2h4.9A1.5 1.5 0 0 1 14 6.5v5a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5z',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3',
  start: 'M3.5 3v10M6.5 8H13M10.5 5.5L13 8l-2.5 2.5',
  end: 'M12.5 3v10M3 8h6.5M7 5.5L9.5 8 7 10.5',
  undated: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3M6.5 8.8l3 3M9.5 8.8l-3 3',
  warning: 'M8 2.5L14.5 13.5h-13zM8 6.5v3M8 11.5v.01',
  edit: 'M3 13l.5-2.5 7-7 2 2-7 7z',
  trash: 'M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.5 9h6l.5-9',
  move: 'M2 8h12M10 4l4 4-4 4',
  right: 'M6 4l4 4-4 4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  chart: 'M2.5 13.5h11M4.5 11V7M8 11V3M11.5 11V5.5',
  gear: 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5.5 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  dot: 'M8 9a1 1 0 1 0 0-2 1 1 0 0 0 0 2z',
  up: 'M4 10l4-4 4 4',
  tag: 'M2.5 2.5h5l6 6-5 5-6-6zM5.5 5.5h.01',
  columns: 'M3 3h3v10H3zM10 3h3v6h-3z',
  table: 'M2.5 3h11v10h-11zM2.5 6.5h11M6.5 6.5V13',
  list: 'M3 4h.01M6 4h7.5M3 8h.01M6 8h7.5M3 12h.01M6 12h7.5',
  play: 'M5 3.5v9l7-4.5z',
  stop: 'M4.5 4.5h7v7h-7z',
  print: 'M4.5 6V2.5h7V6M4.5 12H2.5V6h11v6h-2M4.5 9.5h7v4h-7z',
  timeline: 'M2 4h6M5 8h7M8 12h6',
  download: 'M8 2.5v7M4.5 6.5L8 10l3.5-3.5M3 13.5h10',
  link: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5L7.5 13A3 3 0 0 1 3 8.5L4.5 7',
  file: 'M4 2.5h5L12.5 6v7.5H4zM9 2.5V6h3.5',
  check: 'M3 8.5l3.5 3.5L13 5',
  expand: 'M9.5 2.5h4v4M13.5 2.5L9 7M6.5 13.5h-4v-4M2.5 13.5L7 9',
  shrink: 'M9 3v4h4M9 7l4.5-4.5M7 13V9H3M7 9l-4.5 4.5',
  bold: 'M4.5 3h4a2.5 2.5 0 0 1 0 5h-4zM4.5 8h5a2.5 2.5 0 0 1 0 5h-5z',
  italic: 'M6.5 3h5M4.5 13h5M9.5 3l-3 10',
  heading: 'M4 3v10M12 3v10M4 8h8',
  numbers: 'M2.5 3.5L4 2.5V6M2.5 10.5a1 1 0 0 1 2 0c0 1-2 1.5-2 2.5h2.2M7 4h6.5M7 8h6.5M7 12h6.5',
  bullets: 'M3 4h.01M6.5 4h7M3 8h.01M6.5 8h7M3 12h.01M6.5 12h7',
  task: 'M3 3h10v10H3zM5.5 8l2 2 3.5-4',
  quote: 'M3 3v10M6.5 5h7M6.5 8h7M6.5 11h4',
  code: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5',
  bookmark: 'M4.5 2.5h7v11L8 10.5l-3.5 3z',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  sort: 'M5 3v10M2.5 10.5L5 13l2.5-2.5M11 13V3M8.5 5.5L11 3l2.5 2.5',
  comment: 'M2.5 3h11v8H7.5l-3 2.5V11h-2z',
  at: 'M10.5 8a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM10.5 5.5V9a1.7 1.7 0 0 0 3.4 0V8a5.9 5.9 0 1 0-2.4 4.8',
  checklist: 'M2 4.5l1.2 1.2 2.3-2.5M2 10.5l1.2 1.2 2.3-2.5M8.5 4.5H14M8.5 10.5H14',
  hourglass: 'M4 2.5h8M4 13.5h8M5 2.5V5l3 3 3-3V2.5M5 13.5V11l3-3 3 3v2.5',
  priority: 'M4 13v-2M8 13V7.5M12 13V4',
  pulse: 'M1.5 8.5h3l2-5.5 3 10 2-4.5h3',
  record: 'M14 8.2A6 6 0 1 0 8.2 14M8 4.5V8l1.5 1M12.5 10.5v4M10.5 12.5h4',
  shapes: 'M8 1.8L10.6 6.3H5.4zM2.5 9h4.5v4.5H2.5zM11.3 13.6a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z',
  shield: 'M8 1.8l5 1.9v4.1c0 3-2.1 5.2-5 6.4-2.9-1.2-5-3.4-5-6.4V3.7z',
  bell: 'M3 11.5h10l-1.3-2V7a3.7 3.7 0 0 0-7.4 0v2.5zM6.7 13.8a1.5 1.5 0 0 0 2.6 0',
  rows: 'M2.5 3.5h11M2.5 6.5h11M2.5 9.5h11M2.5 12.5h11',
  keyboard: 'M1.5 4h13v8h-13zM4.5 6.7h.01M7 6.7h.01M9.5 6.7h.01M12 6.7h.01M5 9.4h6',
  leave: 'M6.5 2.5h-4v11h4M6 8h8M11 5l3 3-3 3',
} as const

export type IconName = keyof typeof paths

/** Directional icons, which are mirrored in right-to-left languages. */
const directional: ReadonlySet<IconName> = new Set([
  'left',
  'right',
  'move',
  'list',
  'timeline',
  'start',
  'end',
  'leave',
])

/** Decorative, so assistive technology skips it. The text or label next to it has the meaning. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      class={directional.has(name) ? 'icon directed' : 'icon'}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  )
}

interface IconButtonProps {
  readonly icon: IconName
  readonly label: string
  readonly isDisabled?: boolean
  run(): void
}

/** A disabled button can still be reached with the Tab key, so that the focus is not lost. */
export const IconButton = ({ icon, label, isDisabled = false, run }: IconButtonProps) => (
  <button
    type="button"
    class="button quiet icon-only"
    aria-label={label}
    title={label}
    aria-disabled={isDisabled}
    onClick={() => isDisabled || run()}
  >
    <Icon name={icon} />
  </button>
)
