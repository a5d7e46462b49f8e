import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { FormState, FormValues } from '../forms/form.tsx'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'
import { useLineOfLinks } from './view-controls.tsx'

interface Part {
  /** The id of its element, and the value of `?part=` in the URL. */
  readonly id: string
  readonly label: string
}

/** A long page of settings with an index next to it, which highlights the part that is being read. */
export function SideIndex({
  parts,
  children,
}: {
  readonly parts: readonly Part[]
  readonly children: ComponentChildren
}) {
  const { router } = useServices()
  const { pathname, searchParams } = router.address.value
  const requested = searchParams.get('part')
  const [current, setCurrent] = useState(parts[0]?.id)
  const ids = parts.map(({ id }) => id).join()
  useEffect(() => scrollToPart(requested), [requested])
  useEffect(() => {
    // The part at a fifth of the height of the window is the one that is being read.
    const observer = new IntersectionObserver(
      (entries) => {
        const seen = entries.find(({ isIntersecting }) => isIntersecting)
        if (seen) setCurrent(seen.target.id)
      },
      { rootMargin: '-20% 0px -79% 0px' },
    )
    for (const id of ids.split(',')) {
      const element = document.getElementById(id)
      if (element) observer.observe(element)
    }
    return () => observer.disconnect()
  }, [ids])
  return (
    <div class="with-index">
      <IndexLinks label={t('On this page')} parts={parts} path={pathname} current={current} />
      <div class="index-parts">{children}</div>
    </div>
  )
}

interface IndexLinksProps {
  readonly label: string
  readonly parts: readonly Part[]
  /** The page of the parts, which may be another one. */
  readonly path: string
  readonly current: string | undefined
}

/** The index next to a page of settings, which is a line above it where there is no room. */
export function IndexLinks({ label, parts, path, current }: IndexLinksProps) {
  const index = useLineOfLinks(parts.map(({ id }) => id).join())
  return (
    <nav ref={index} class="side-index" aria-label={label}>
      {parts.map(({ id, label }) => (
        <a
          key={id}
          href={`${path}?part=${id}`}
          aria-current={id === current ? 'true' : undefined}
          onClick={() => scrollToPart(id)}
        >
          {label}
        </a>
      ))}
    </nav>
  )
}

/** A part of the page, to which the index links. It has one or more sections. */
export const IndexedPart = ({
  id,
  children,
}: {
  readonly id: string
  readonly children: ComponentChildren
}) => (
  <div id={id} class="sections">
    {children}
  </div>
)

const scrollToPart = (id: string | null): void => document.getElementById(id ?? '')?.scrollIntoView()

interface SavedHeadingProps {
  readonly id: string
  readonly title: string
  /** True if a form has changes that are not saved. Choices are saved at once. */
  readonly isChanged?: boolean
  readonly form?: Pick<FormState<FormValues>, 'isAccepted'>
  /** Without a form: how often a choice was saved. */
  readonly savedCount?: number
}

/** A heading with "Not saved yet" while there are changes, and with "Saved" for two seconds after saving. */
export const SavedHeading = ({
  id,
  title,
  isChanged = false,
  form,
  savedCount = Number(form?.isAccepted.value),
}: SavedHeadingProps) => (
  <header class="saved-heading">
    <h2 id={id}>{title}</h2>
    {isChanged && <span class="save-state">{t('Not saved yet')}</span>}
    {!isChanged && savedCount > 0 && (
      <span key={savedCount} class="save-state saved" role="status">
        <Icon name="check" />
        {t('Saved')}
      </span>
    )}
  </header>
)
