export default function History() {
  return null;
}
