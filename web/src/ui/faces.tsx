import { PersonAvatar } from './avatar.tsx'

/** Further people are only counted. */
const avatarsMax = 4

interface FacesProps {
  readonly ids: readonly string[]
  /** How many there are, if `ids` has only the first ones. */
  readonly count?: number
}

/** The people of a row: the first ones as avatars. */
export const Faces = ({ ids, count = ids.length }: FacesProps) => (
  <span class="faces">
    {ids.slice(0, avatarsMax).map((id) => (
      <PersonAvatar key={id} id={id} />
    ))}
    {count > avatarsMax && <span class="quiet-text">+{count - avatarsMax}</span>}
  </span>
)
