export interface Tab {
  readonly label: string
  readonly href: string
  readonly isCurrent: boolean
}

/** Links to the parts of a screen. */
export const Tabs = ({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map((tab) => (
      <a key={tab.href} href={tab.href} aria-current={tab.isCurrent ? 'page' : undefined}>
        {tab.label}
      </a>
    ))}
  </nav>
)
