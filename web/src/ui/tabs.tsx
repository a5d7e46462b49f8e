import { useEffect, useRef } from 'preact/hooks'

export interface Tab {
  readonly label: string
  readonly href: string
  readonly isCurrent: boolean
}

/** Links to the parts of a screen. On a phone they do not all fit, so the current one is scrolled into view. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const current = useRef<HTMLAnchorElement>(null)
  const href = tabs.find(({ isCurrent }) => isCurrent)?.href
  useEffect(() => current.current?.scrollIntoView({ block: 'nearest', inline: 'center' }), [href])
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a
          key={tab.href}
          ref={tab.isCurrent ? current : null}
          href={tab.href}
          aria-current={tab.isCurrent ? 'page' : undefined}
        >
          {tab.label}
        </a>
      ))}
    </nav>
  )
}
