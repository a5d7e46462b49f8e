import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'
import { type Hue, hueOf } from './marks.tsx'

interface AvatarProps {
  readonly name: string
  readonly color: Hue | 'none'
  /** True if the name is shown next to it, so that assistive technology skips it. */
  readonly isDecorative?: boolean
  /** Replaces the initials of the name. */
  readonly initials?: string
}

/** A person's initials in a circle; the name is next to it or in its label. */
const Avatar = ({ name, color, isDecorative = false, initials = initialsOf(name) }: AvatarProps) => (
  <span
    class="avatar"
    data-color={color}
    title={name || undefined}
    {...(isDecorative || name === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': name })}
  >
    {initials}
  </span>
)

export const initialsOf = (name: string): string => {
  // Symbols and emoji make no initials.
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  return [words.at(0), words.length > 1 ? words.at(-1) : undefined]
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}

/**
 * The avatar of the person with the id, or an empty one if the id is empty. It has no initials until the name
 * is known, so that nothing flashes.
 */
export function PersonAvatar({
  id,
  isDecorative = false,
}: {
  readonly id: string
  readonly isDecorative?: boolean
}) {
  const { people } = useServices()
  if (id === '') return <Avatar name={t('Unassigned')} initials="" color="none" isDecorative={isDecorative} />
  // Empty if the user may not see the person, and undefined while the name is loading.
  const name = people.findName(id)
  const appearance = { color: hueOf(id), isDecorative }
  if (name === '') return <Avatar name={t('Someone you cannot see')} initials="?" {...appearance} />
  return <Avatar name={name ?? ''} {...appearance} />
}

interface PersonRowProps {
  readonly id: string
  readonly name: string
  /** A second line. */
  readonly note?: string | undefined
  readonly removeLabel: string
  onRemove(): void
}

/** A row with a person and a button that removes the person. */
export const PersonRow = ({ id, name, note, removeLabel, onRemove }: PersonRowProps) => (
  <li class="row">
    <PersonAvatar id={id} isDecorative />
    <span class="row-text">
      <bdi>{name}</bdi>
      {note && <span class="quiet-text line">{note}</span>}
    </span>
    <button type="button" class="button quiet icon-only" aria-label={removeLabel} onClick={onRemove}>
      <Icon name="close" />
    </button>
  </li>
)
