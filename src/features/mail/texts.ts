export interface MailText {
  readonly subject: string
  readonly text: string
}

/** The texts of mails in one language. Names are already formatted, and a link has a line of its own. */
export interface MailTexts {
  password(values: PasswordValues): MailText
  factors(values: { readonly place: string }): MailText
  invitation(values: InvitationValues): MailText
}

export interface PasswordValues {
  /** The address of the installation. */
  readonly place: string
  readonly link: string
  readonly hours: number
  readonly isByAdministrator: boolean
}

export interface InvitationValues {
  readonly place: string
  readonly link: string
  readonly days: number
  readonly inviter: string
  readonly into: { readonly project: string; readonly organization: string } | undefined
}

export const en: MailTexts = {
  password: ({ place, link, hours, isByAdministrator }) => ({
    subject: 'Reset your password',
    text: `${isByAdministrator ? 'An administrator has' : 'Someone has'} requested a new password for your account at ${place}.

Choose it here within ${hours} hour; the link works only once:

${link}

If you do not want a new password, ignore this mail: your current one stays valid.
`,
  }),
  factors: ({ place }) => ({
    subject: 'Your sign-in methods have changed',
    text: `The ways to sign in to your account at ${place} have changed: a passkey, an authenticator app, recovery codes or a linked account
was added or removed. After a change of passkeys, apps or codes your other sessions have ended.

If that was you, you need not do anything. If not, change your password at once, check "Second factor" and
"Linked accounts" on the page "My account", and inform an administrator.
`,
  }),
  invitation: ({ place, link, days, inviter, into }) => ({
    subject: 'You have been invited',
    text: `${inviter} invites you${into ? ` to the project ${into.project} of ${into.organization}` : ''} at ${place}.

Create your account here within ${days} days, or join with the one you have; the link works only once:

${link}

If you were not expecting this invitation, ignore this mail.
`,
  }),
}

/** Uses the vocabulary of the web client: `web/src/texts/pt-br.ts` has the glossary. */
export const ptBr: MailTexts = {
  password: ({ place, link, hours, isByAdministrator }) => ({
    subject: 'Sua nova senha',
    text: `${isByAdministrator ? 'Um administrador pediu' : 'Alguém pediu'} uma nova senha para a sua conta em ${place}.

Escolha-a aqui em até ${hours} hora; o link funciona uma vez:

${link}

Se você não quer uma nova senha, não faça nada: a atual continua valendo.
`,
  }),
  factors: ({ place }) => ({
    subject: 'Sua forma de entrar mudou',
    text: `A forma de entrar na sua conta em ${place} mudou: uma chave de acesso, um aplicativo de códigos, códigos de recuperação ou uma conta
externa foi incluída ou retirada. Depois de uma mudança de chaves, aplicativos ou códigos, seus outros acessos foram encerrados.

Se foi você, não há nada a fazer. Se não foi, escolha logo uma nova senha, veja o que está em "Segundo fator" e em
"Contas em outros serviços" na página "Minha conta", e avise um administrador.
`,
  }),
  invitation: ({ place, link, days, inviter, into }) => ({
    subject: 'Você recebeu um convite',
    text: `${inviter} convida você ${into ? `para o projeto ${into.project}, de ${into.organization},` : 'a participar'} em ${place}.

Crie sua conta aqui em até ${days} dias, ou entre com a que você já tem; o link funciona uma vez:

${link}

Se você não sabe do que se trata, não faça nada.
`,
  }),
}
