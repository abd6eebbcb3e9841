// What a change must bring along when one is logged in, and the button to log out.

const TOKEN = /(?:^|; )csrf=([^;]+)/;

export function headers() {
  const token = document.cookie.match(TOKEN)?.[1];
  return token ? { "Content-Type": "application/json", "X-CSRF-Token": token } : { "Content-Type": "application/json" };
}

const leave = document.getElementById("log-out");
leave?.addEventListener("click", async () => {
  await fetch("/logout", { method: "POST", headers: headers(), body: "{}" });
  location.assign("/login");
});
