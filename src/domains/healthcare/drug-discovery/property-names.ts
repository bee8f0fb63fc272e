/** What properties of compounds are called in sentences and pictures. */
const NAMES: Readonly<Record<string, string>> = {
  mw: 'molecular weight',
  alogp: 'lipophilicity (AlogP)',
  hba: 'hydrogen bond acceptors',
  hbd: 'hydrogen bond donors',
  psa: 'polar surface area',
  rotb: 'rotatable bonds',
  arom: 'aromatic rings',
  alerts: 'structural alerts',
  logd: 'lipophilicity at pH 7.4 (logD)',
  pka: 'pKa of the most basic centre',
};

/** A client's own property is called as the client calls it. */
export const nameOfProperty = (property: string): string =>
  Object.hasOwn(NAMES, property) ? NAMES[property] : property;

const SCORE_NAMES = { qed: 'QED', cns_mpo: 'CNS MPO', custom: 'desirability' } as const;

export const nameOfScore = (score: keyof typeof SCORE_NAMES): string => SCORE_NAMES[score];
