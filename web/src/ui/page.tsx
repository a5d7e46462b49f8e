import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'
import { hueOf } from './marks.tsx'

interface PageProps {
  readonly title: string
  /** Actions next to the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** Lays out a screen. */
export function Page({ title, actions, children }: PageProps) {
  const heading = usePageTitle(title)
  return (
    <div class="page">
      <header class="page-header">
        <div class="page-title">
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

/**
 * Sets the title of the tab, and returns a reference for the heading. The heading takes the focus when a
 * navigation opens the screen, or another record on it.
 */
export function usePageTitle(title: string | undefined, recordId?: string) {
  const { router } = useServices()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Tracker`
  }, [title])
  useEffect(() => {
    // The first load leaves the focus at the top of the page.
    if (router.hasMoved()) heading.current?.focus({ preventScroll: true })
  }, [router, recordId])
  return heading
}

/**
 * Marks the root element while a component is shown, for styles of the frame around it. With `:has()`, every
 * change inside the frame would make the browser search all cards.
 */
export function useRootClass(name: `has-${string}`, isShown = true): void {
  useLayoutEffect(() => {
    const { classList } = document.documentElement
    if (!isShown) return
    classList.add(name)
    return () => classList.remove(name)
  }, [name, isShown])
}

/** A page for users who are not signed in: it has no navigation. */
export function StandalonePage({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · Tracker`
  }, [title])
  return (
    <main class="alone">
      <div class="alone-card">
        <p class="brand">
          <img src="/icon.svg" alt="" width="32" height="32" />
          <span>Tracker</span>
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}

export interface ProjectMarkProps {
  readonly project: Pick<RecordOf<'project'>, 'id' | 'color'>
}

/** The colour of a project, next to its name. The default colour is derived from the id. */
export const ProjectMark = ({ project: { id, color } }: ProjectMarkProps) => (
  <span class="project-mark" data-color={color ?? hueOf(id)} aria-hidden="true" />
)

/** Scrolls only the list. `scrollIntoView` would scroll the page, too. */
export function centreCurrent(list: Element): void {
  const current = list.querySelector('[aria-current]')?.getBoundingClientRect()
  const { left, width } = list.getBoundingClientRect()
  if (current) list.scrollBy({ left: current.left + current.width / 2 - left - width / 2 })
}

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  /** True if the dialog around it gives it the focus. */
  readonly isFirst?: boolean
  /** Called when the typing pauses. */
  onChange(text: string): void
}

/** A search is started after a pause of this length in typing. */
const typingMilliseconds = 200

export function SearchField({ label, value, isFirst, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // A space at the end stays, because the next word may follow after a pause.
  useEffect(() => setText((current) => (current.trim() === value ? current : value)), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onChange(next.trim()), typingMilliseconds)
  }
  return (
    <label class="search">
      <Icon name="search" />
      <input
        data-autofocus={isFirst}
        class="input"
        type="search"
        aria-label={label}
        placeholder={t('Search')}
        maxLength={limits.search}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  )
}
