"""A site for nginx in front of a hall: the spectators' files from the disk, all else from the hall."""

from __future__ import annotations

from pathlib import Path

NGINX_SITE = """\
# Made by `referee hall init`. Put it into /etc/nginx/conf.d/, then: nginx -t && nginx -s reload
server {{
    listen {listen};
    server_name {name};
{certificate}
    # What spectators see, as late as the hall's --delay: any number of them, and the hall is not asked.
    location /live/ {{
        alias {live}/;
        types {{ application/json json; application/x-ndjson jsonl; }}
        add_header Cache-Control "public, max-age=1";
        add_header Access-Control-Allow-Origin "*";
        gzip on;
        gzip_types application/json;  # not the games' files: of these the new end is asked for
        gzip_min_length 4096;
    }}
    location ~ ^/live/(.*/)?\\. {{ deny all; }}
    # Their page, made once a minute for all.
    location ~ ^/(watch$|static/|languages/) {{
        proxy_pass {hall};
        proxy_cache camelot;
        proxy_cache_key $uri$http_cookie;
        proxy_cache_valid 200 1m;
        proxy_cache_lock on;
        proxy_ignore_headers Cache-Control Expires;
        {forwarded}
    }}
    location / {{
        proxy_pass {hall};
        {forwarded}
        proxy_buffering off;
        proxy_read_timeout 1h;
    }}
}}
proxy_cache_path {cache} keys_zone=camelot:1m max_size=50m;
"""
FORWARDED = (
    "proxy_set_header X-Forwarded-For $remote_addr;",
    "proxy_set_header X-Forwarded-Proto $scheme;",
    "proxy_set_header X-Forwarded-Host $http_host;",
)
"""What the hall has to know of who asks. `$host` has no port: at any but 443 no page could change anything."""
CACHE = Path("/var/cache/nginx-camelot")


def nginx_site(
    name: str,
    listen: str,
    live: Path,
    hall: str,
    certificate: tuple[Path, Path] | None = None,
    cache: Path = CACHE,
) -> str:
    """The site `name`: spectators' files from the folder `live`, the rest from the `hall`; encrypted by a
    certificate and its key."""
    encrypts = "".join(
        f"    {what} {path};\n"
        for what, path in zip(("ssl_certificate", "ssl_certificate_key"), certificate or (), strict=False)
    )
    return NGINX_SITE.format(
        listen=f"{listen} ssl" if certificate else listen,
        name=name,
        certificate=encrypts,
        live=live,
        hall=hall,
        cache=cache,
        forwarded="\n        ".join(FORWARDED),
    )
