/**
 * Names of the points of a study: digits of the study, then the serial, so that those of another study are not taken
 * for them.
 */
const STUDY_DIGITS = 12;
const SERIAL_DIGITS = 6;

const POINT_ID = /^point_[0-9]+$/;

const prefixOf = (studyId: string): string => `point_${studyId.slice(-STUDY_DIGITS)}`;

export const pointId = (studyId: string, serial: number): string =>
  prefixOf(studyId) + String(serial).padStart(SERIAL_DIGITS, '0');

/** 0: it names no point of this study. */
export function serialOf(studyId: string, id: string): number {
  const prefix = prefixOf(studyId);
  const serial = id.startsWith(prefix) && POINT_ID.test(id) ? Number(id.slice(prefix.length)) : 0;
  // In its own form only.
  return pointId(studyId, serial) === id ? serial : 0;
}
