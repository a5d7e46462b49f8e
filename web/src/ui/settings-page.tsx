import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { FormState, FormValues } from '../forms/form.tsx'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'

interface Part {
  /** The id of its element, and the value of `?part=` in the URL. */
  readonly id: string
  readonly label: string
}

/**
 * A long page of settings with an index next to it, which highlights the part that is being read. Above the
 * parts, it says how all of them are saved.
 */
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
      <nav class="side-index" aria-label={t('On this page')}>
        {parts.map(({ id, label }) => (
          <a
            key={id}
            href={`${pathname}?part=${id}`}
            aria-current={id === current ? 'true' : undefined}
            onClick={() => scrollToPart(id)}
          >
            {label}
          </a>
        ))}
      </nav>
      <div class="index-parts">
        <p class="quiet-text index-note">{t('Choices are saved at once, forms with their button.')}</p>
        {children}
      </div>
    </div>
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
  readonly isChanged: boolean
  readonly form: Pick<FormState<FormValues>, 'isAccepted'>
}

/**
 * The heading of a form, with "Not saved yet" while there are changes, and with "Saved" for two seconds after
 * saving.
 */
export const SavedHeading = ({ id, title, isChanged, form }: SavedHeadingProps) => (
  <header class="saved-heading">
    <h2 id={id}>{title}</h2>
    {isChanged && <span class="save-state">{t('Not saved yet')}</span>}
    {!isChanged && form.isAccepted.value && (
      <span class="save-state saved">
        <Icon name="check" />
        {t('Saved')}
      </span>
    )}
  </header>
)
