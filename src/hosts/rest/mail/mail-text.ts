import { invitationHours } from '../../../accounts/links.ts'
import type { QueuedMail } from '../../../accounts/mail-queue.ts'
import type { MailToSend } from '../../../accounts/mailed-links.ts'
import { passwordLinkHours } from '../../../accounts/password-links.ts'
import type { MailSettings } from '../../../configuration/mail-settings.ts'
import type { Language } from '../../../model/language.ts'
import { en } from './texts/en.ts'
import type { MailText, MailTexts } from './texts/mail-texts.ts'
import { ptBr } from './texts/pt-br.ts'

export const mailTexts: Readonly<Record<Language, MailTexts>> = { en, 'pt-BR': ptBr }

/**
 * Plain text: nothing to load, nothing hidden. What stands behind the number sign goes to no server when the link is opened, so
 * that programs that look into mails do not use it up.
 */
export function mailText(
  { purpose, madeBy }: QueuedMail,
  { secret, inviter, project, organization, language }: MailToSend,
  { linkOrigin: place }: MailSettings,
): MailText {
  const texts = mailTexts[language]
  const linkTo = (path: string) => `${place}${path}#${secret}`
  if (purpose === 'factors') return texts.factors({ place })
  if (purpose === 'password')
    return texts.password({
      place,
      link: linkTo('/new-password'),
      hours: passwordLinkHours,
      isByAdministrator: madeBy !== null,
    })
  return texts.invitation({
    place,
    link: linkTo('/invitation'),
    days: invitationHours / 24,
    inviter: line(inviter),
    into: project === undefined ? undefined : { project: line(project), organization: line(organization) },
  })
}

/**
 * What people chose themselves, marked as such: one line, and nothing that a mail program would make a link of, or that would turn
 * the text around it round.
 */
const line = (text = ''): string => {
  const words = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/[:/.@“”：／．＠。｡]/g, ' ')
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .trim()
  return isolated(`“${[...words].slice(0, nameCharactersShown).join('')}”`)
}

/** More is cut off: a mail is no place for what somebody wants to tell strangers. */
const nameCharactersShown = 80

/** Where a name is written from right to left, the characters of Unicode that keep it together. */
const isolated = (text: string): string =>
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
    ? `\u2068${text}\u2069`
    : text
