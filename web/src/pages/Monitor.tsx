export default function Monitor() {
  return null;
}
