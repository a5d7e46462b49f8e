import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'

export interface PageProps {
  readonly title: string
  /** Before the title, such as the colour of a project. */
  readonly mark?: ComponentChildren
  /** Where this belongs to, as a link. */
  readonly above?: ComponentChildren
  /** Beside the title: what one can do here. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** The frame of a screen: its title, also in the tab; its heading takes the focus after a step from another screen. */
export function Page({ title, mark, above, actions, children }: PageProps) {
  const { router } = useServices()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tracker`
  }, [title])
  useEffect(() => {
    // On the first load the focus belongs to the top of the page.
    if (router.hasMoved()) heading.current?.focus({ preventScroll: true })
  }, [router])
  return (
    <div class="page">
      <header class="page-header">
        <div class="page-title">
          {above && (
            <nav class="breadcrumb" aria-label={t('Where you are')}>
              {above} <span aria-hidden="true">/</span>
            </nav>
          )}
          {mark}
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {title}
          </h1>
        </div>
        {actions}
      </header>
      {children}
    </div>
  )
}
